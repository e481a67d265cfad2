//! PostgreSQL, over a socket of this machine: rows with a parent, paths of ltree, documents, trigrams and full text.

use std::error::Error;
use std::io::Write;

use postgres::{Client, NoTls, Statement};

use crate::question::{Answer, HITS, Kind, Question, Store, Way};
use crate::rows::{Rows, final_names};

pub struct Postgres {
    client: Client,
    cte: Statement,
    ltree: Statement,
    document: Statement,
    documents: Statement,
    words: Statement,
}

const CTE: &str = "recursive CTE";
const LTREE: &str = "ltree, @>";
const DOCUMENT: &str = "denormalised row";
const WAYS: &[Way] = &[
    Way { kind: Kind::Term, name: CTE, requests: "1" },
    Way { kind: Kind::Term, name: LTREE, requests: "1" },
    Way { kind: Kind::Term, name: DOCUMENT, requests: "1" },
    Way { kind: Kind::Batch, name: DOCUMENT, requests: "1" },
    Way { kind: Kind::Search, name: "full text, prefix of a word", requests: "1" },
];

impl Postgres {
    pub fn load(rows: &Rows) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
        let Ok(address) = std::env::var("POSTGRES") else {
            return Ok(None);
        };
        let mut client = Client::connect(&address, NoTls)?;
        client.batch_execute(
            "CREATE EXTENSION IF NOT EXISTS ltree;
             DROP TABLE IF EXISTS term;
             CREATE TABLE term (id bigint PRIMARY KEY, parent bigint, name text, final_name text, path ltree, document text,
               words tsvector GENERATED ALWAYS AS (to_tsvector('simple', name)) STORED);",
        )?;
        let mut copy = client.copy_in("COPY term (id, parent, name, final_name, path, document) FROM STDIN")?;
        for row in &rows.terms {
            let path: Vec<String> = row.ancestors.iter().rev().chain([&row.id]).map(u64::to_string).collect();
            let parent = row.parent.map_or_else(|| "\\N".to_owned(), |parent| parent.to_string());
            let [name, final_name, document] = [&row.name, &row.final_name, &rows.document(row)].map(|text| escaped(text));
            writeln!(copy, "{}\t{parent}\t{name}\t{final_name}\t{}\t{document}", row.id, path.join("."))?;
        }
        copy.finish()?;
        client.batch_execute("CREATE INDEX ON term USING gist (path); CREATE INDEX ON term USING gin (words); VACUUM ANALYZE term")?;
        let cte = client.prepare(
            "WITH RECURSIVE above AS (
               SELECT id, parent, final_name, 0 AS depth FROM term WHERE id = $1
               UNION ALL SELECT term.id, term.parent, term.final_name, depth + 1 FROM above JOIN term ON term.id = above.parent)
             SELECT final_name FROM above ORDER BY depth",
        )?;
        let ltree = client.prepare(
            "SELECT final_name FROM term WHERE path @> (SELECT path FROM term WHERE id = $1) ORDER BY nlevel(path) DESC",
        )?;
        let document = client.prepare("SELECT document FROM term WHERE id = $1")?;
        let documents = client.prepare(
            "SELECT document FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(id, position) JOIN term USING (id) ORDER BY position",
        )?;
        let words = client.prepare(
            "SELECT final_name FROM term WHERE words @@ to_tsquery('simple', $1) ORDER BY name COLLATE \"C\", id LIMIT $2",
        )?;
        Ok(Some(Box::new(Self { client, cte, ltree, document, documents, words })))
    }
}

/// Escapes a text for COPY.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

impl Store for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL over a socket"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        match question {
            Question::Term(id) if way.name == DOCUMENT => {
                let row = self.client.query_one(&self.document, &[&i64::try_from(*id)?])?;
                final_names(row.get(0))
            }
            Question::Term(id) => {
                let statement = if way.name == CTE { &self.cte } else { &self.ltree };
                let rows = self.client.query(statement, &[&i64::try_from(*id)?])?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
            Question::Batch(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| i64::try_from(*id)).collect::<Result<_, _>>()?;
                let rows = self.client.query(&self.documents, &[&ids])?;
                let mut all = Vec::new();
                for row in &rows {
                    all.extend(final_names(row.get(0))?);
                }
                Ok(all)
            }
            Question::Search(prefix) => {
                let rows = self.client.query(&self.words, &[&format!("{prefix}:*"), &i64::try_from(HITS)?])?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
        }
    }
}
