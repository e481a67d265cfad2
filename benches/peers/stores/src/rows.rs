//! The terms of a taxonomy file, as rows.

use std::collections::HashMap;
use std::error::Error;

use taxonomy_model::{Defaults, Limits};

/// A term in its default culture.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: u64,
    pub parent: Option<u64>,
    pub name: String,
    /// `{category}:{name}`.
    pub final_name: String,
    /// Nearest first.
    pub ancestors: Vec<u64>,
}

/// All terms, by id.
#[derive(Clone)]
pub struct Rows {
    pub terms: Vec<Row>,
    by_id: HashMap<u64, usize>,
}

impl Rows {
    /// Reads a file of the service's format.
    pub fn read(file: &[u8]) -> Result<Self, Box<dyn Error>> {
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
                let name = term.node.default_name().name.to_owned();
                let category = term.category().node.default_name().name;
                Row {
                    id: term.id().get(),
                    parent: term.parent().map(|parent| parent.id().get()),
                    final_name: format!("{category}:{name}"),
                    name,
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

    /// Returns the FinalNames of a term and of its ancestors, nearest first, as one JSON text: what a denormalised row holds.
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

/// Returns the FinalNames in a document, as a caller would read them.
pub fn final_names(document: &str) -> Result<Vec<String>, Box<dyn Error>> {
    Ok(serde_json::from_str::<Named>(document)?.names().collect())
}
