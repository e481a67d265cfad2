//! The mix of requests: what consumers send most, most often.

use fastrand::Rng;
use serde_json::json;

use crate::history::History;
use crate::request::{Request, Subject, escaped};
use crate::zipf::Zipf;

/// The number of terms in a batch.
const BATCH: usize = 20;
/// The most versions that a request for changes or for the past goes back.
const BACK: u64 = 5;

/// Ids from here on belong to no term.
const UNKNOWN: u64 = 9_000_000_000;

/// An answer that a process gave, for a conditional request.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    pub(crate) request: Request,
    pub(crate) tag: String,
    pub(crate) version: u64,
}

/// Draws the requests to one process.
pub(crate) struct Mix {
    rng: Rng,
    zipf: Zipf,
    cultures: Vec<String>,
    pub(crate) last: Option<Remembered>,
}

impl Mix {
    /// Draws by a seed. All processes share the ranks of the terms, so that the same terms are popular everywhere.
    pub(crate) fn new(seed: u64, process: u64, mut ids: Vec<u64>, cultures: Vec<String>) -> Self {
        ids.sort_unstable();
        let zipf = Zipf::new(ids, &mut Rng::with_seed(seed));
        Self {
            rng: Rng::with_seed(seed + 1 + process),
            zipf,
            cultures,
            last: None,
        }
    }

    /// Draws a request: of a hundred, 58 are a term, 6 the last one again under its tag, 12 a batch, 6 suggestions, 5 children, 3 changes,
    /// 5 a term of a version, 3 a term of a time, 1 the categories and 1 the head.
    pub(crate) fn draw(&mut self, history: &History) -> Request {
        match self.rng.u8(..100) {
            0..58 => self.term("term"),
            58..64 => self.conditional(),
            64..76 => self.batch(),
            76..82 => self.suggest(history),
            82..87 => {
                let id = self.zipf.draw(&mut self.rng);
                Request::get(
                    "children",
                    Subject::Children { id },
                    format!("terms/{id}/children"),
                    "limit=100".to_owned(),
                )
            }
            87..90 => {
                let after = self.past(history);
                Request::get(
                    "changes",
                    Subject::Changes { after },
                    "changes".to_owned(),
                    format!("after={after}&limit=50"),
                )
            }
            90..95 => {
                let version = self.past(history);
                Request {
                    pinned: Some(version),
                    ..self.term("version").with("version", &version.to_string())
                }
            }
            95..98 => self.as_of(history),
            98 => Request::get(
                "categories",
                Subject::Categories,
                "categories".to_owned(),
                "limit=100".to_owned(),
            ),
            _ => Request::get("head", Subject::Head, String::new(), String::new()),
        }
    }

    /// Draws a term, in one of four requests in another culture. One in fifty does not exist.
    fn term(&mut self, kind: &'static str) -> Request {
        let id = match self.rng.u8(..50) {
            0 => UNKNOWN + self.rng.u64(..1_000_000),
            _ => self.zipf.draw(&mut self.rng),
        };
        let culture = match self.rng.u8(..4) {
            0 => self.rng.choice(&self.cultures).cloned(),
            _ => None,
        };
        let query = culture
            .as_ref()
            .map(|culture| format!("culture={culture}"))
            .unwrap_or_default();
        Request::get(kind, Subject::Term { id, culture }, format!("terms/{id}"), query)
    }

    fn conditional(&mut self) -> Request {
        match self.last.clone() {
            None => self.term("term"),
            Some(last) => Request {
                kind: "conditional",
                known: Some(last.version),
                tag: Some(last.tag),
                ..last.request
            },
        }
    }

    fn batch(&mut self) -> Request {
        let ids: Vec<u64> = (0..BATCH).map(|_| self.zipf.draw(&mut self.rng)).collect();
        let body = json!({"ids": ids});
        Request {
            body: Some(body),
            ..Request::get(
                "batch",
                Subject::Batch { ids },
                "terms:batchGet".to_owned(),
                String::new(),
            )
        }
    }

    /// Draws the whole name of a term, or its first letters, as a reader types them.
    fn suggest(&mut self, history: &History) -> Request {
        let id = self.zipf.draw(&mut self.rng);
        let taxonomy = history.newest_served();
        let name = taxonomy
            .as_ref()
            .and_then(|(_, taxonomy)| taxonomy.name(id))
            .unwrap_or("a");
        let is_whole = self.rng.bool() && name.split_whitespace().count() <= 8;
        let query: String = match is_whole {
            true => name.to_owned(),
            false => name.chars().take(self.rng.usize(2..6)).collect(),
        };
        let parameter = format!("q={}", escaped(&query));
        let subject = Subject::Suggest {
            query,
            named: is_whole.then_some(id),
        };
        Request::get("suggest", subject, "suggest".to_owned(), parameter)
    }

    fn as_of(&mut self, history: &History) -> Request {
        let version = self.past(history);
        match history.settled_at(version) {
            None => self.term("term"),
            Some(time) => Request {
                pinned: Some(version),
                ..self.term("asOf").with("asOf", &time)
            },
        }
    }

    /// Draws one of the last versions that are served.
    fn past(&mut self, history: &History) -> u64 {
        let newest = history.newest_served().map_or(1, |(version, _)| version);
        newest - self.rng.u64(..BACK.min(newest))
    }
}
