//! SQLite, in memory of a process: rows with a parent, and documents.

use rusqlite::{Connection, params};

use crate::local::{Blocking, parts};
use crate::question::{Failure, ways};
use crate::rows::{BEFORE, Rows, documents, lines};

pub struct Sqlite {
    connection: Connection,
}

const SQLITE: &str = "SQLite";
ways! {
    WAYS:
    SQLITE, Term, "recursive CTE", "/above", lines;
    SQLITE, Term, "denormalised row", "/terms", documents;
    SQLITE, Batch, "denormalised rows", "/terms", documents;
    SQLITE, AsOf, "a row for each term and version", "/before", documents;
}

impl Sqlite {
    pub fn load(rows: &Rows, before: &Rows) -> Result<Blocking<Self>, Failure> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE term (id INTEGER PRIMARY KEY, parent INTEGER, final_name TEXT, document TEXT);
             CREATE TABLE history (id INTEGER, version INTEGER, document TEXT, PRIMARY KEY (id, version)) WITHOUT ROWID;",
        )?;
        let load = connection.transaction()?;
        {
            let mut insert = load.prepare("INSERT INTO term VALUES (?, ?, ?, ?)")?;
            for row in &rows.terms {
                insert.execute(params![row.id, row.parent, row.final_name, rows.document(row)])?;
            }
            let mut insert = load.prepare("INSERT INTO history VALUES (?, ?, ?)")?;
            for (version, rows) in (BEFORE..).zip([before, rows]) {
                for row in &rows.terms {
                    insert.execute(params![row.id, version, rows.document(row)])?;
                }
            }
        }
        load.commit()?;
        Ok(Blocking::new(Self { connection }, WAYS, Self::answer))
    }

    fn answer(&mut self, target: &str) -> Result<String, Failure> {
        let (path, ids) = parts(target)?;
        let mut read = self.connection.prepare_cached(match path {
            "/above" => {
                "WITH RECURSIVE above(id, parent, final_name, depth) AS (
                   SELECT id, parent, final_name, 0 FROM term WHERE id = ?
                   UNION ALL SELECT term.id, term.parent, term.final_name, depth + 1 FROM above JOIN term ON term.id = above.parent)
                 SELECT final_name FROM above ORDER BY depth"
            }
            "/before" => "SELECT document FROM history WHERE id = ? AND version = ?",
            _ => "SELECT document FROM term WHERE id = ?",
        })?;
        let mut lines: Vec<String> = Vec::new();
        for id in ids {
            let of_version = params![id, BEFORE];
            let of_id = params![id];
            let found = read.query_map(if path == "/before" { of_version } else { of_id }, |row| {
                row.get(0)
            })?;
            for line in found {
                lines.push(line?);
            }
        }
        Ok(lines.join("\n"))
    }
}
