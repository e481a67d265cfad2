//! The requests. Terms are requested by Zipf's law with exponent 1.0: the most popular one twice as often as the second, three times as often as
//! the third and so on. A shuffle determines the ranks.

use fastrand::Rng;
use taxonomy_keys::TermId;
use taxonomy_model::Taxonomy;
use taxonomy_testkit::fixtures::{ACME, FR_FR, GLOBEX};

use crate::variant::PROCESSES;

/// A request, and the process that receives it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) process: usize,
}

/// The terms of a tenant by rank, and its categories.
struct Tenant {
    name: &'static str,
    terms: Vec<TermId>,
    categories: Vec<u64>,
    /// The sum of `1 / rank` up to each rank.
    sums: Vec<f64>,
}

/// The number of terms in a batch.
const BATCH: usize = 20;

/// Draws requests: two thirds to one tenant, one third to the other.
pub(crate) fn requests(seed: u64, acme: &Taxonomy, globex: &Taxonomy, count: usize) -> Vec<Request> {
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
        let mut terms: Vec<TermId> = taxonomy.terms().map(|term| term.id()).collect();
        rng.shuffle(&mut terms);
        let mut sum = 0.0;
        let sums = (1..=terms.len()).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        Self {
            name,
            sums: sums.collect(),
            terms,
            categories: taxonomy
                .categories()
                .map(|category| category.id().get())
                .collect(),
        }
    }

    /// Draws the target: of a hundred, 80 are a term with its ancestors, 8 one in French, 5 a batch, 3 a category, 2 the categories and 2 a term
    /// that does not exist.
    fn target(&self, rng: &mut Rng) -> String {
        let tenant = format!("/v1/tenants/{}", self.name);
        match rng.u8(..100) {
            0..80 => format!("{tenant}/terms/{}", self.term(rng)),
            80..88 => format!("{tenant}/terms/{}?culture={FR_FR}", self.term(rng)),
            88..93 => {
                let ids: Vec<String> = (0..BATCH).map(|_| self.term(rng).to_string()).collect();
                format!("{tenant}/terms?ids={}", ids.join(","))
            }
            93..96 => format!(
                "{tenant}/categories/{}",
                self.categories[rng.usize(..self.categories.len())]
            ),
            96..98 => format!("{tenant}/categories"),
            _ => format!("{tenant}/terms/{}", 9_000_000_000 + rng.u64(..1_000_000)),
        }
    }

    fn term(&self, rng: &mut Rng) -> TermId {
        let point = rng.f64() * self.sums.last().copied().unwrap_or_default();
        let rank = self.sums.partition_point(|sum| *sum <= point);
        self.terms[rank.min(self.terms.len() - 1)]
    }
}

#[test]
fn few_terms_are_popular() {
    let taxonomy = taxonomy_tests::world::read(&taxonomy_tests::world::sample("job-board-v1.json"));
    let mut rng = Rng::with_seed(1);
    let tenant = Tenant::of(ACME, &taxonomy, &mut rng);
    let mut counts = vec![0_u32; tenant.terms.len()];
    for _ in 0..100_000 {
        let term = tenant.term(&mut rng);
        counts[tenant.terms.iter().position(|other| *other == term).unwrap()] += 1;
    }
    for (rank, share) in [(1, 2.0), (3, 4.0), (9, 10.0)] {
        let ratio = f64::from(counts[0]) / f64::from(counts[rank]);
        assert!((ratio / share - 1.0).abs() < 0.1, "{ratio} instead of {share}");
    }
    assert!(counts.iter().all(|count| *count > 0));
}
