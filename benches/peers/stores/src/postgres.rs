//! PostgreSQL by its own protocol: rows with a parent, paths of ltree, documents. A connection has a process of the server.

use std::io::Write;

use postgres::{Client as Connection, NoTls, Statement};

use crate::measure::Client;
use crate::question::{Answer, Failure, Kind, Question, Way, ways};
use crate::rows::{BEFORE, Rows, documents, lines};

pub struct Postgres {
    connection: Connection,
    above: Statement,
    path: Statement,
    documents: Statement,
    history: Statement,
}

const STORE: &str = "PostgreSQL";
const ABOVE: &str = "recursive CTE";
const LTREE: &str = "ltree, @>";
ways! {
    pub WAYS:
    STORE, Term, ABOVE, "", lines;
    STORE, Term, LTREE, "", lines;
    STORE, Term, "denormalised row", "", documents;
    STORE, Batch, "denormalised rows", "", documents;
    STORE, AsOf, "a row for each term and version", "", documents;
}

impl Postgres {
    /// Writes the rows.
    pub fn load(address: &str, rows: &Rows, before: &Rows) -> Result<(), Failure> {
        let mut client = Connection::connect(address, NoTls)?;
        client.batch_execute(TABLES)?;
        copy_terms(&mut client, rows)?;
        copy_history(&mut client, rows, before)?;
        client.batch_execute(INDEX)?;
        Ok(client.batch_execute(STATISTICS)?)
    }

    /// Connects with prepared statements.
    pub fn connect(address: &str) -> Result<Self, Failure> {
        let mut client = Connection::connect(address, NoTls)?;
        Ok(Self {
            above: client.prepare(
                "WITH RECURSIVE above AS (
                   SELECT id, parent, final_name, 0 AS depth FROM term WHERE id = $1
                   UNION ALL SELECT term.id, term.parent, term.final_name, depth + 1 FROM above JOIN term ON term.id = above.parent)
                 SELECT final_name FROM above ORDER BY depth",
            )?,
            path: client.prepare("SELECT final_name FROM term WHERE path @> (SELECT path FROM term WHERE id = $1) ORDER BY nlevel(path) DESC")?,
            documents: client.prepare(
                "SELECT document FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(id, position) JOIN term USING (id) ORDER BY position",
            )?,
            history: client.prepare("SELECT document FROM history WHERE id = $1 AND version = $2")?,
            connection: client,
        })
    }
}

const TABLES: &str = "
    CREATE EXTENSION IF NOT EXISTS ltree;
    DROP TABLE IF EXISTS term, history;
    CREATE TABLE term (id bigint PRIMARY KEY, parent bigint, final_name text, path ltree, document text);
    CREATE TABLE history (id bigint, version bigint, document text, PRIMARY KEY (id, version));";

const INDEX: &str = "CREATE INDEX ON term USING gist (path)";

/// In a transaction of its own, as PostgreSQL requires.
const STATISTICS: &str = "VACUUM ANALYZE term, history";

fn copy_terms(client: &mut Connection, rows: &Rows) -> Result<(), Failure> {
    let mut copy = client.copy_in("COPY term (id, parent, final_name, path, document) FROM STDIN")?;
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
        let [final_name, document] = [&row.final_name, &rows.document(row)].map(|text| escaped(text));
        writeln!(
            copy,
            "{}\t{parent}\t{final_name}\t{}\t{document}",
            row.id,
            path.join(".")
        )?;
    }
    copy.finish()?;
    Ok(())
}

fn copy_history(client: &mut Connection, rows: &Rows, before: &Rows) -> Result<(), Failure> {
    let mut copy = client.copy_in("COPY history FROM STDIN")?;
    for (version, rows) in (BEFORE..).zip([before, rows]) {
        for row in &rows.terms {
            writeln!(copy, "{}\t{version}\t{}", row.id, escaped(&rows.document(row)))?;
        }
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

impl Client for Postgres {
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Failure> {
        let ids = match question {
            Question::Term(id) | Question::AsOf(id) => vec![i64::try_from(*id)?],
            Question::Batch(ids) => ids
                .iter()
                .map(|id| i64::try_from(*id))
                .collect::<Result<_, _>>()?,
        };
        let rows = match (way.name, way.kind) {
            (ABOVE, _) => self.connection.query(&self.above, &[&ids[0]])?,
            (LTREE, _) => self.connection.query(&self.path, &[&ids[0]])?,
            (_, Kind::AsOf) => self.connection.query(&self.history, &[&ids[0], &BEFORE])?,
            _ => self.connection.query(&self.documents, &[&ids])?,
        };
        let lines: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
        (way.names)(&lines.join("\n"))
    }
}
