//! Requests as readers send them: few terms often, most of them seldom. Terms are requested by Zipf's law with exponent 1.0, the most popular one
//! twice as often as the second; a shuffle determines the ranks.

use fastrand::Rng;
use taxonomy_model::Taxonomy;
use taxonomy_testkit::fixtures::{ACME, FR_FR};
use taxonomy_tests::prelude::*;

use super::savings::PROCESSES;

/// A request, and the process that receives it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) target: String,
    pub(super) process: usize,
}

/// The terms of a tenant by rank, and its categories.
struct Tenant {
    name: &'static str,
    terms: Vec<u64>,
    categories: Vec<u64>,
    /// The sum of `1 / rank` up to each rank.
    sums: Vec<f64>,
}

/// The number of terms in a batch.
const BATCH: usize = 20;

/// Draws requests: two thirds to one tenant, one third to the other.
pub(super) fn requests(seed: u64, acme: &Taxonomy, globex: &Taxonomy, count: usize) -> Vec<Request> {
    let mut rng = Rng::with_seed(seed);
    let tenants = [(ACME, acme), (GLOBEX, globex)];
    let [acme, globex] = tenants.map(|(name, taxonomy)| Tenant::of(name, taxonomy, &mut rng));
    let mut one = || {
        let tenant = if rng.u8(..3) < 2 { &acme } else { &globex };
        Request {
            target: tenant.target(&mut rng),
            process: rng.usize(..PROCESSES),
        }
    };
    (0..count).map(|_| one()).collect()
}

impl Tenant {
    fn of(name: &'static str, taxonomy: &Taxonomy, rng: &mut Rng) -> Self {
        let mut terms: Vec<u64> = taxonomy.terms().map(|term| term.id().get()).collect();
        rng.shuffle(&mut terms);
        let mut sum = 0.0;
        let sums = (1..=terms.len()).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        let categories = taxonomy.categories().map(|category| category.id().get());
        Self {
            name,
            sums: sums.collect(),
            terms,
            categories: categories.collect(),
        }
    }

    /// Draws the target: of a hundred, 80 are a term with its ancestors, 8 one in French, 5 a batch, 3 a category, 2 the categories and 2 a term
    /// that does not exist.
    fn target(&self, rng: &mut Rng) -> String {
        let path = match rng.u8(..100) {
            0..80 => format!("terms/{}", self.term(rng)),
            80..88 => format!("terms/{}?culture={FR_FR}", self.term(rng)),
            88..93 => {
                let ids: Vec<String> = (0..BATCH).map(|_| self.term(rng).to_string()).collect();
                format!("terms?ids={}", ids.join(","))
            }
            93..96 => format!("categories/{}", rng.choice(&self.categories).unwrap()),
            96..98 => "categories".to_owned(),
            _ => format!("terms/{}", 9_000_000_000 + rng.u64(..1_000_000)),
        };
        format!("/v1/tenants/{}/{path}", self.name)
    }

    fn term(&self, rng: &mut Rng) -> u64 {
        let point = rng.f64() * self.sums.last().copied().unwrap_or_default();
        let rank = self.sums.partition_point(|sum| *sum <= point);
        self.terms[rank.min(self.terms.len() - 1)]
    }
}
