//! SQLite in memory, FTS5: each word of the query is the beginning of a word of the name, the best by bm25. In scripts without spaces the
//! query is a part of the name, by trigrams.

use std::error::Error;

use rusqlite::{Connection, params};

use crate::{Engine, HITS, Names};

/// Signs that the tokenizer `trigram` needs; shorter texts are looked for in every name.
const TRIGRAM: usize = 3;

pub struct Sqlite {
    connection: Connection,
    has_spaces: bool,
}

impl Sqlite {
    pub fn load(names: &Names, has_spaces: bool) -> Result<Self, Box<dyn Error>> {
        let mut connection = Connection::open_in_memory()?;
        let tokens = if has_spaces {
            "tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3 4'"
        } else {
            "tokenize = 'trigram'"
        };
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE names USING fts5(key UNINDEXED, name, {tokens});"
        ))?;
        let transaction = connection.transaction()?;
        for (key, name) in names {
            transaction
                .prepare_cached("INSERT INTO names (key, name) VALUES (?1, ?2)")?
                .execute([key, name])?;
        }
        transaction.commit()?;
        connection.execute_batch("INSERT INTO names(names) VALUES ('optimize');")?;
        Ok(Self {
            connection,
            has_spaces,
        })
    }
}

impl Engine for Sqlite {
    fn search(&mut self, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let is_short = !self.has_spaces && text.chars().count() < TRIGRAM;
        let (condition, sought) = if is_short {
            ("name LIKE '%' || ?1 || '%'", text.to_owned())
        } else if self.has_spaces {
            let words = text
                .split(|letter: char| !letter.is_alphanumeric())
                .filter(|word| !word.is_empty());
            (
                "name MATCH ?1",
                words
                    .map(|word| format!("\"{word}\"*"))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        } else {
            ("name MATCH ?1", format!("\"{}\"", text.replace('"', " ")))
        };
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        let order = if is_short { "length(name)" } else { "rank" };
        let query = format!(
            "SELECT key FROM names WHERE {condition} ORDER BY name = ?2 COLLATE NOCASE DESC, {order} LIMIT ?3"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let keys = statement.query_map(params![sought, text, 2 * HITS as i64], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }
}
