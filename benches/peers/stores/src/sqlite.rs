//! SQLite, in memory of this process: rows with a parent, and documents.

use std::error::Error;

use rusqlite::{Connection, params};

use crate::history::{BEFORE, history};
use crate::question::{Answer, HITS, Kind, Question, Store, Way};
use crate::rows::Rows;

pub struct Sqlite {
    connection: Connection,
}

const CTE: &str = "recursive CTE";
const DOCUMENT: &str = "denormalised row";
const HISTORY: &str = "history table, the row of the version";
const WAYS: &[Way] = &[
    Way::new(Kind::Term, CTE, 1.0),
    Way::new(Kind::Term, DOCUMENT, 1.0),
    Way::new(Kind::Batch, DOCUMENT, 100.0),
    Way::new(Kind::Search, "FTS5, prefix of a word", 1.0),
    Way::new(Kind::AsOf, HISTORY, 1.0),
];

impl Sqlite {
    pub fn load(rows: &Rows, before: &Rows) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE term (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT, final_name TEXT, document TEXT);
             CREATE TABLE history (id INTEGER, since INTEGER, until INTEGER, document TEXT, PRIMARY KEY (id, since)) WITHOUT ROWID;
             CREATE VIRTUAL TABLE word USING fts5(name, content='term', content_rowid='id', prefix='2 3 4 5');",
        )?;
        let load = connection.transaction()?;
        {
            let mut insert = load.prepare("INSERT INTO term VALUES (?, ?, ?, ?, ?)")?;
            for row in &rows.terms {
                insert.execute(params![
                    row.id,
                    row.parent,
                    row.name,
                    row.final_name,
                    rows.document(row)
                ])?;
            }
            let mut insert = load.prepare("INSERT INTO history VALUES (?, ?, ?, ?)")?;
            for state in history(rows, before) {
                insert.execute(params![state.id, state.since, state.until, state.document])?;
            }
        }
        load.execute("INSERT INTO word(word) VALUES ('rebuild')", [])?;
        load.commit()?;
        Ok(Some(Box::new(Self { connection })))
    }

    fn document(&self, id: u64) -> Result<Answer, Box<dyn Error>> {
        let mut read = self
            .connection
            .prepare_cached("SELECT document FROM term WHERE id = ?")?;
        let document: String = read.query_row([id], |row| row.get(0))?;
        crate::rows::final_names(&document)
    }
}

impl Store for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite in the process"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        match question {
            Question::Term(id) if way.name == CTE => {
                let mut read = self.connection.prepare_cached(
                    "WITH RECURSIVE above(id, parent, final_name, depth) AS (
                       SELECT id, parent, final_name, 0 FROM term WHERE id = ?
                       UNION ALL SELECT term.id, term.parent, term.final_name, depth + 1 FROM above JOIN term ON term.id = above.parent)
                     SELECT final_name FROM above ORDER BY depth",
                )?;
                let names = read.query_map([id], |row| row.get(0))?;
                Ok(names.collect::<Result<_, _>>()?)
            }
            Question::Term(id) => self.document(*id),
            Question::AsOf(id) => {
                let mut read = self.connection.prepare_cached(
                    "SELECT document FROM history WHERE id = ?1 AND since <= ?2 AND until > ?2",
                )?;
                let document: String = read.query_row(params![id, BEFORE], |row| row.get(0))?;
                crate::rows::final_names(&document)
            }
            Question::Batch(ids) => {
                let mut all = Vec::new();
                for id in ids {
                    all.extend(self.document(*id)?);
                }
                Ok(all)
            }
            Question::Search(prefix) => {
                let mut read = self.connection.prepare_cached(
                    "SELECT final_name FROM term WHERE id IN (SELECT rowid FROM word WHERE word MATCH ?) ORDER BY name, id LIMIT ?",
                )?;
                let names = read.query_map(params![format!("{prefix}*"), HITS], |row| row.get(0))?;
                Ok(names.collect::<Result<_, _>>()?)
            }
        }
    }
}
