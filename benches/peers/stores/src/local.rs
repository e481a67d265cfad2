//! The stores that this program has itself, in its process or behind HTTP: one response for each target.

use std::cell::RefCell;
use std::pin::Pin;

use crate::question::{Failure, Way, ways};
use crate::rows::{Rows, lines};

/// What will be the response.
pub type Response<'a> = Pin<Box<dyn Future<Output = Result<String, Failure>> + 'a>>;

/// A store with the data in it.
pub trait Local {
    fn ways(&self) -> &'static [Way];
    /// Answers a target: the path of a way, and ids.
    fn respond<'a>(&'a self, target: &'a str) -> Response<'a>;
    /// Returns the requests and read units since the last call; none for a store without a table.
    fn take_cost(&self) -> Option<(usize, f64)> {
        None
    }
}

/// The names of the stores, of which each runs in a process of its own.
pub const NAMES: [&str; 4] = ["map", "table", "sqlite", "oxigraph"];

/// Loads a store by its name.
pub fn load(name: &str, first: &[u8]) -> Result<Box<dyn Local>, Failure> {
    let second = crate::rows::revised(first)?;
    let (before, rows) = (Rows::read(first)?, Rows::read(&second)?);
    Ok(match name {
        "map" => Box::new(Map { rows, before }),
        "table" => Box::new(crate::table::Tables::load([first, &second], &rows, &before)?),
        "sqlite" => Box::new(crate::sqlite::Sqlite::load(&rows, &before)?),
        "oxigraph" => Box::new(crate::oxigraph::Oxigraph::load(&rows)?),
        _ => return Err(format!("there is no store {name}").into()),
    })
}

/// Splits a target into its path and its ids.
pub fn parts(target: &str) -> Result<(&str, Vec<u64>), Failure> {
    let (path, ids) = target.rsplit_once('/').ok_or("a target has ids after its path")?;
    Ok((path, ids.split(',').map(str::parse).collect::<Result<_, _>>()?))
}

/// Plain code over maps: the oracle, and the upper bound of what is possible.
pub struct Map {
    rows: Rows,
    before: Rows,
}

const PARENTS: &str = "a map of terms, parents one after the other";
ways! {
    WAYS:
    "a map", Term, PARENTS, "/terms", lines;
    "a map", Batch, PARENTS, "/terms", lines;
    "a map", AsOf, PARENTS, "/before", lines;
}

impl Local for Map {
    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn respond<'a>(&'a self, target: &'a str) -> Response<'a> {
        let answer = parts(target).map(|(path, ids)| {
            let rows = if path == "/before" {
                &self.before
            } else {
                &self.rows
            };
            let names: Vec<&str> = ids.iter().flat_map(|id| rows.lineage(*id)).collect();
            names.join("\n")
        });
        Box::pin(std::future::ready(answer))
    }
}

/// A store whose answers need no waiting, behind a cell because it changes with each of them.
pub struct Blocking<S> {
    store: RefCell<S>,
    ways: &'static [Way],
    answer: fn(&mut S, &str) -> Result<String, Failure>,
}

impl<S> Blocking<S> {
    pub fn new(store: S, ways: &'static [Way], answer: fn(&mut S, &str) -> Result<String, Failure>) -> Self {
        Self {
            store: RefCell::new(store),
            ways,
            answer,
        }
    }
}

impl<S> Local for Blocking<S> {
    fn ways(&self) -> &'static [Way] {
        self.ways
    }

    fn respond<'a>(&'a self, target: &'a str) -> Response<'a> {
        Box::pin(std::future::ready((self.answer)(
            &mut self.store.borrow_mut(),
            target,
        )))
    }
}
