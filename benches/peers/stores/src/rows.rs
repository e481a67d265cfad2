//! The terms of a taxonomy file, as rows.

use std::collections::HashMap;

use serde_json::Value;
use taxonomy_model::{Defaults, Limits};

use crate::question::{Answer, Failure};

/// The version before the current one, which is the second.
pub const BEFORE: i64 = 1;
/// Of the leaves that have another name in the second version.
const EVERY: usize = 10;

/// A term in its default culture.
pub struct Row {
    pub id: u64,
    pub parent: Option<u64>,
    /// `{category}:{name}`.
    pub final_name: String,
    /// Nearest first.
    pub ancestors: Vec<u64>,
}

/// All terms, by id.
pub struct Rows {
    pub terms: Vec<Row>,
    by_id: HashMap<u64, usize>,
}

impl Rows {
    /// Reads a file of the service's format.
    pub fn read(file: &[u8]) -> Result<Self, Failure> {
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse()?,
            fallback_chain: Vec::new(),
        };
        let parsed = taxonomy_model::parse(file, &defaults, Limits::default());
        let parsed = parsed.map_err(|report| format!("the file is refused: {report:?}"))?;
        let terms: Vec<Row> = parsed
            .taxonomy
            .terms()
            .map(|term| {
                let name = term.node.default_name().name;
                let category = term.category().node.default_name().name;
                Row {
                    id: term.id().get(),
                    parent: term.parent().map(|parent| parent.id().get()),
                    final_name: format!("{category}:{name}"),
                    ancestors: term.ancestors().map(|above| above.id().get()).collect(),
                }
            })
            .collect();
        let by_id = terms
            .iter()
            .enumerate()
            .map(|(position, row)| (row.id, position))
            .collect();
        Ok(Self { terms, by_id })
    }

    /// Returns a term.
    pub fn term(&self, id: u64) -> Option<&Row> {
        self.by_id.get(&id).map(|position| &self.terms[*position])
    }

    /// Returns the FinalNames of a term and of its ancestors, nearest first.
    pub fn lineage(&self, id: u64) -> impl Iterator<Item = &str> {
        let lineage = std::iter::successors(self.term(id), move |row| self.term(row.parent?));
        lineage.map(|row| &*row.final_name)
    }

    /// The same as one JSON text: what a denormalised row holds.
    pub fn document(&self, row: &Row) -> String {
        let lineage = row.ancestors.iter().filter_map(|id| self.term(*id));
        let ancestors: Vec<_> = lineage
            .map(|above| serde_json::json!({"id": above.id, "finalName": above.final_name}))
            .collect();
        serde_json::json!({"id": row.id, "finalName": row.final_name, "ancestors": ancestors}).to_string()
    }
}

/// A term in a document or a response.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    final_name: String,
    #[serde(default)]
    ancestors: Vec<Named>,
}

impl Named {
    /// Its FinalName and those of its ancestors.
    pub fn names(self) -> impl Iterator<Item = String> {
        let above = self.ancestors.into_iter().map(|above| above.final_name);
        [self.final_name].into_iter().chain(above)
    }
}

/// Returns the FinalNames in documents, one a line, as a caller would read them.
pub fn documents(lines: &str) -> Result<Answer, Failure> {
    let mut all = Vec::new();
    for line in lines.lines() {
        all.extend(serde_json::from_str::<Named>(line)?.names());
    }
    Ok(all)
}

/// Returns the FinalNames of a text that has one a line.
pub fn lines(text: &str) -> Result<Answer, Failure> {
    Ok(text.lines().map(str::to_owned).collect())
}

/// Returns the next version of a file: every tenth leaf has another name.
pub fn revised(file: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut file: Value = serde_json::from_slice(file)?;
    let mut leaves = 0;
    for category in members(&mut file, "categories") {
        members(category, "terms").for_each(|term| revise(term, &mut leaves));
    }
    Ok(serde_json::to_vec(&file)?)
}

fn members<'v>(node: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    let members = node.get_mut(name).and_then(Value::as_array_mut);
    members.into_iter().flatten()
}

/// A file has at most 32 levels, so the recursion is bounded.
fn revise(term: &mut Value, leaves: &mut usize) {
    members(term, "children").for_each(|child| revise(child, leaves));
    if members(term, "children").next().is_some() {
        return;
    }
    *leaves += 1;
    if leaves.is_multiple_of(EVERY) {
        for name in members(term, "names") {
            if let Some(Value::String(name)) = name.get_mut("name") {
                name.push_str(" revised");
            }
        }
    }
}
