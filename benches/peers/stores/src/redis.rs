//! Redis or Valkey, over a socket of this machine: a document a term, and a hash a term with the id of its parent.

use std::error::Error;

use redis::{Commands, Connection};

use crate::question::{Answer, Kind, Question, Store, Way};
use crate::rows::{Rows, final_names};

pub struct Redis {
    connection: Connection,
}

const DOCUMENT: &str = "GET of a document";
const HASHES: &str = "HMGET, parents one after the other";
const WAYS: &[Way] = &[
    Way::new(Kind::Term, DOCUMENT, 1.0),
    Way::new(Kind::Term, HASHES, 6.0),
    Way::new(Kind::Batch, "MGET of documents", 1.0),
];

impl Redis {
    pub fn load(rows: &Rows) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
        let Some(url) = crate::setting("REDIS") else {
            return Ok(None);
        };
        let mut connection = redis::Client::open(url)?.get_connection()?;
        for chunk in rows.terms.chunks(1000) {
            let mut pipe = redis::pipe();
            for row in chunk {
                let parent = row.parent.map(|parent| parent.to_string()).unwrap_or_default();
                pipe.set(format!("document:{}", row.id), rows.document(row))
                    .ignore();
                pipe.hset_multiple(
                    format!("term:{}", row.id),
                    &[("parent", parent.as_str()), ("final_name", &row.final_name)],
                )
                .ignore();
            }
            pipe.query::<()>(&mut connection)?;
        }
        Ok(Some(Box::new(Self { connection })))
    }
}

impl Store for Redis {
    fn name(&self) -> &'static str {
        "Valkey over a socket"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        match question {
            Question::Term(id) if way.name == HASHES => {
                let (mut names, mut next) = (Vec::new(), id.to_string());
                while !next.is_empty() {
                    let (parent, name): (String, String) = self
                        .connection
                        .hmget(format!("term:{next}"), &["parent", "final_name"])?;
                    names.push(name);
                    next = parent;
                }
                Ok(names)
            }
            Question::Term(id) => {
                let document: String = self.connection.get(format!("document:{id}"))?;
                final_names(&document)
            }
            Question::Batch(ids) => {
                let keys: Vec<String> = ids.iter().map(|id| format!("document:{id}")).collect();
                let documents: Vec<String> = self.connection.mget(keys)?;
                let mut all = Vec::new();
                for document in &documents {
                    all.extend(final_names(document)?);
                }
                Ok(all)
            }
            Question::Search(_) | Question::AsOf(_) => Err("not measured".into()),
        }
    }
}
