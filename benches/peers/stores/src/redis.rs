//! Valkey by its own protocol: a document a term, and a hash a term with the id of its parent.

use redis::{Commands, Connection};

use crate::measure::Client;
use crate::question::{Answer, Failure, Question, Way, ways};
use crate::rows::{Rows, documents, lines};

pub struct Redis {
    connection: Connection,
}

const STORE: &str = "Valkey";
const HASHES: &str = "HMGET, parents one after the other";
ways! {
    pub WAYS:
    STORE, Term, "GET of a document", "", documents;
    STORE, Term, HASHES, "", lines;
    STORE, Batch, "MGET of documents", "", documents;
}

impl Redis {
    /// Connects to a server.
    pub fn connect(url: &str) -> Result<Self, Failure> {
        Ok(Self {
            connection: redis::Client::open(url)?.get_connection()?,
        })
    }

    /// Writes the documents and the hashes.
    pub fn load(url: &str, rows: &Rows) -> Result<(), Failure> {
        let mut connection = Self::connect(url)?.connection;
        for chunk in rows.terms.chunks(1000) {
            let mut pipe = redis::pipe();
            for row in chunk {
                let parent = row.parent.map(|parent| parent.to_string()).unwrap_or_default();
                pipe.set(format!("document:{}", row.id), rows.document(row))
                    .ignore();
                let fields = [("parent", parent.as_str()), ("final_name", &row.final_name)];
                pipe.hset_multiple(format!("term:{}", row.id), &fields).ignore();
            }
            pipe.query::<()>(&mut connection)?;
        }
        Ok(())
    }
}

impl Client for Redis {
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Failure> {
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
            Question::Batch(ids) => {
                let keys: Vec<String> = ids.iter().map(|id| format!("document:{id}")).collect();
                let documents: Vec<String> = self.connection.mget(keys)?;
                (way.names)(&documents.join("\n"))
            }
            Question::Term(id) | Question::AsOf(id) => {
                let document: String = self.connection.get(format!("document:{id}"))?;
                (way.names)(&document)
            }
        }
    }
}
