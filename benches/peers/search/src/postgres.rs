//! PostgreSQL, over a socket of this machine: trigrams of the names in lower case without accents, the most similar words first, then the most
//! similar names. `POSTGRES` is the connection string of a server without tables of ours.

use std::error::Error;

use postgres::{Client, NoTls, Statement};

use crate::{Engine, HITS, Names};

pub struct Postgres {
    client: Client,
    nearest: Statement,
}

impl Postgres {
    pub fn load(names: &Names, culture: &str) -> Result<Self, Box<dyn Error>> {
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
        client.batch_execute("CREATE INDEX ON name USING gin (plain gin_trgm_ops); ANALYZE name")?;
        let nearest = client.prepare(
            "SELECT key FROM name, (SELECT unaccent(lower($1::text)) AS sought) AS query
             WHERE sought <% plain ORDER BY sought <<-> plain, sought <-> plain, name LIMIT $2",
        )?;
        Ok(Self { client, nearest })
    }
}

impl Engine for Postgres {
    fn search(&mut self, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let rows = self.client.query(&self.nearest, &[&text, &(2 * HITS as i64)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn repeats(&self) -> usize {
        1
    }
}
