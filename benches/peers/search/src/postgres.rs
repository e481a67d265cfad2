//! PostgreSQL, over a socket of this machine, of names in lower case without accents: by trigrams, the most similar words first, then the most
//! similar names; or by full text, each word of the query the beginning of a word, the best rank first. `POSTGRES` is the connection string of a
//! server without tables of ours.

use std::error::Error;

use postgres::{Client, NoTls, Statement};

use crate::{Engine, HITS, Names};

/// How names are found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Trigrams,
    FullText,
}

pub struct Postgres {
    client: Client,
    by: By,
    nearest: Statement,
}

const TRIGRAMS: &str = "SELECT key FROM name, (SELECT unaccent(lower($1::text)) AS sought) AS query
     WHERE sought <% plain ORDER BY sought <<-> plain, sought <-> plain, name LIMIT $2";
const FULL_TEXT: &str = "SELECT key FROM name, to_tsquery('simple', unaccent(lower($1::text))) AS query
     WHERE to_tsvector('simple', plain) @@ query
     ORDER BY ts_rank(to_tsvector('simple', plain), query) DESC, length(plain), name LIMIT $2";

impl Postgres {
    pub fn load(names: &Names, culture: &str, by: By) -> Result<Self, Box<dyn Error>> {
        let address = std::env::var("POSTGRES")?;
        let database = format!("names_{}", culture.to_lowercase().replace('-', "_"));
        let mut client = Client::connect(&address, NoTls)?;
        client.batch_execute(&format!("DROP DATABASE IF EXISTS {database}"))?;
        // The locale C knows no letters but those of ASCII.
        client.batch_execute(&format!(
            "CREATE DATABASE {database} LOCALE 'C.UTF-8' TEMPLATE template0"
        ))?;
        let mut client = Client::connect(
            &address.replace("dbname=postgres", &format!("dbname={database}")),
            NoTls,
        )?;
        client.batch_execute(
            "CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent; CREATE TABLE name (key text, name text, plain text)",
        )?;
        let mut transaction = client.transaction()?;
        let insert = transaction.prepare("INSERT INTO name VALUES ($1, $2, unaccent(lower($2)))")?;
        for (key, name) in names {
            transaction.execute(&insert, &[key, name])?;
        }
        transaction.commit()?;
        let (index, query) = match by {
            By::Trigrams => ("plain gin_trgm_ops", TRIGRAMS),
            By::FullText => ("to_tsvector('simple', plain)", FULL_TEXT),
        };
        client.batch_execute(&format!("CREATE INDEX ON name USING gin ({index}); ANALYZE name"))?;
        let nearest = client.prepare(query)?;
        Ok(Self { client, by, nearest })
    }
}

/// The words of a text, each the beginning of a word, all of them.
fn beginnings(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| format!("{word}:*"))
        .collect::<Vec<_>>()
        .join(" & ")
}

impl Engine for Postgres {
    fn search(&mut self, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let sought = match self.by {
            By::Trigrams => text.to_owned(),
            By::FullText => beginnings(text),
        };
        let rows = self.client.query(&self.nearest, &[&sought, &(2 * HITS as i64)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn repeats(&self) -> usize {
        1
    }
}
