//! PostgreSQL, over a socket of this machine: rows with a parent, paths of ltree, documents, trigrams and full text.

use std::error::Error;
use std::io::Write;

use postgres::{Client, NoTls, Statement};

use crate::history::{BEFORE, history};
use crate::question::{Answer, HITS, Kind, Question, Store, Way};
use crate::rows::{Rows, final_names};

pub struct Postgres {
    client: Client,
    cte: Statement,
    ltree: Statement,
    document: Statement,
    documents: Statement,
    words: Statement,
    trigrams: Statement,
    history: Statement,
}

const CTE: &str = "recursive CTE";
const LTREE: &str = "ltree, @>";
const TRIGRAMS: &str = "trigrams, by word similarity";
const DOCUMENT: &str = "denormalised row";
const WAYS: &[Way] = &[
    Way::new(Kind::Term, CTE, 1.0),
    Way::new(Kind::Term, LTREE, 1.0),
    Way::new(Kind::Term, DOCUMENT, 1.0),
    Way::new(Kind::Batch, DOCUMENT, 1.0),
    Way::new(Kind::Search, "full text, prefix of a word", 1.0),
    Way::ranked(TRIGRAMS, 1.0),
    Way::new(Kind::AsOf, "history table, the row of the version", 1.0),
];

impl Postgres {
    pub fn load(rows: &Rows, before: &Rows) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
        let Some(address) = crate::setting("POSTGRES") else {
            return Ok(None);
        };
        let mut client = Client::connect(&address, NoTls)?;
        client.batch_execute(TABLES)?;
        copy_terms(&mut client, rows)?;
        copy_history(&mut client, rows, before)?;
        client.batch_execute(INDEXES)?;
        client.batch_execute(STATISTICS)?;
        Ok(Some(Box::new(Self {
            cte: client.prepare(
                "WITH RECURSIVE above AS (
                   SELECT id, parent, final_name, 0 AS depth FROM term WHERE id = $1
                   UNION ALL SELECT term.id, term.parent, term.final_name, depth + 1 FROM above JOIN term ON term.id = above.parent)
                 SELECT final_name FROM above ORDER BY depth",
            )?,
            ltree: client.prepare("SELECT final_name FROM term WHERE path @> (SELECT path FROM term WHERE id = $1) ORDER BY nlevel(path) DESC")?,
            document: client.prepare("SELECT document FROM term WHERE id = $1")?,
            documents: client.prepare(
                "SELECT document FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(id, position) JOIN term USING (id) ORDER BY position",
            )?,
            words: client.prepare("SELECT final_name FROM term WHERE words @@ to_tsquery('simple', $1) ORDER BY name COLLATE \"C\", id LIMIT $2")?,
            trigrams: client.prepare("SELECT final_name FROM term WHERE $1 <% name ORDER BY $1 <<-> name, name LIMIT $2")?,
            history: client.prepare("SELECT document FROM history WHERE id = $1 AND since <= $2 AND until > $2")?,
            client,
        })))
    }
}

const TABLES: &str = "
    CREATE EXTENSION IF NOT EXISTS ltree;
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    DROP TABLE IF EXISTS term, history;
    CREATE TABLE term (id bigint PRIMARY KEY, parent bigint, name text, final_name text, path ltree, document text,
      words tsvector GENERATED ALWAYS AS (to_tsvector('simple', name)) STORED);
    CREATE TABLE history (id bigint, since bigint, until bigint, document text, PRIMARY KEY (id, since));";

const INDEXES: &str = "
    CREATE INDEX ON term USING gist (path);
    CREATE INDEX ON term USING gin (words);
    CREATE INDEX ON term USING gist (name gist_trgm_ops(siglen=64));";

/// In a transaction of its own, as PostgreSQL requires.
const STATISTICS: &str = "VACUUM ANALYZE term, history";

fn copy_terms(client: &mut Client, rows: &Rows) -> Result<(), Box<dyn Error>> {
    let mut copy = client.copy_in("COPY term (id, parent, name, final_name, path, document) FROM STDIN")?;
    for row in &rows.terms {
        let path: Vec<String> = row
            .ancestors
            .iter()
            .rev()
            .chain([&row.id])
            .map(u64::to_string)
            .collect();
        let parent = row
            .parent
            .map_or_else(|| "\\N".to_owned(), |parent| parent.to_string());
        let [name, final_name, document] =
            [&row.name, &row.final_name, &rows.document(row)].map(|text| escaped(text));
        writeln!(
            copy,
            "{}\t{parent}\t{name}\t{final_name}\t{}\t{document}",
            row.id,
            path.join(".")
        )?;
    }
    copy.finish()?;
    Ok(())
}

fn copy_history(client: &mut Client, rows: &Rows, before: &Rows) -> Result<(), Box<dyn Error>> {
    let mut copy = client.copy_in("COPY history FROM STDIN")?;
    for state in history(rows, before) {
        writeln!(
            copy,
            "{}\t{}\t{}\t{}",
            state.id,
            state.since,
            state.until,
            escaped(&state.document)
        )?;
    }
    copy.finish()?;
    Ok(())
}

/// Escapes a text for COPY.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
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
                let ids: Vec<i64> = ids
                    .iter()
                    .map(|id| i64::try_from(*id))
                    .collect::<Result<_, _>>()?;
                let rows = self.client.query(&self.documents, &[&ids])?;
                let mut all = Vec::new();
                for row in &rows {
                    all.extend(final_names(row.get(0))?);
                }
                Ok(all)
            }
            Question::AsOf(id) => {
                let row = self
                    .client
                    .query_one(&self.history, &[&i64::try_from(*id)?, &BEFORE])?;
                final_names(row.get(0))
            }
            Question::Search(text) if way.name == TRIGRAMS => {
                let rows = self
                    .client
                    .query(&self.trigrams, &[text, &i64::try_from(HITS)?])?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
            Question::Search(prefix) => {
                let rows = self
                    .client
                    .query(&self.words, &[&format!("{prefix}:*"), &i64::try_from(HITS)?])?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
        }
    }
}
