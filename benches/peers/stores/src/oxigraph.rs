//! Oxigraph, a triple store in memory of a process: SKOS statements, asked by the SPARQL protocol.

use oxigraph::model::{GraphNameRef, Literal, NamedNode, NamedNodeRef, QuadRef};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store as Triples;
use serde_json::Value;

use crate::local::{Blocking, parts};
use crate::question::{Answer, Failure, ways};
use crate::rows::Rows;

pub struct Oxigraph {
    triples: Triples,
}

const BROADER: &str = "http://www.w3.org/2004/02/skos/core#broader";
const LABEL: &str = "http://www.w3.org/2004/02/skos/core#prefLabel";
const DEPTH: &str = "http://example.org/depth";
ways! {
    WAYS:
    "Oxigraph", Term, "SPARQL, skos:broader*", "/query", labels;
}

impl Oxigraph {
    pub fn load(rows: &Rows) -> Result<Blocking<Self>, Failure> {
        let triples = Triples::new()?;
        let [broader, label, depth] = [BROADER, LABEL, DEPTH].map(NamedNodeRef::new_unchecked);
        for row in &rows.terms {
            let subject = node(row.id);
            let add = |predicate, object: oxigraph::model::Term| {
                triples.insert(QuadRef::new(
                    &subject,
                    predicate,
                    &object,
                    GraphNameRef::DefaultGraph,
                ))
            };
            add(label, Literal::new_simple_literal(&row.final_name).into())?;
            add(depth, Literal::from(row.ancestors.len() as u64).into())?;
            if let Some(parent) = row.parent {
                add(broader, node(parent).into())?;
            }
        }
        Ok(Blocking::new(Self { triples }, WAYS, Self::answer))
    }

    fn answer(&mut self, target: &str) -> Result<String, Failure> {
        let (_, ids) = parts(target)?;
        let term = node(*ids.first().ok_or("an id")?);
        let query = format!(
            "SELECT ?label WHERE {{ {term} <{BROADER}>* ?above . ?above <{LABEL}> ?label ; <{DEPTH}> ?depth }} ORDER BY DESC(?depth)"
        );
        let results = SparqlEvaluator::new()
            .parse_query(&query)?
            .on_store(&self.triples)
            .execute()?;
        let QueryResults::Solutions(solutions) = results else {
            return Err("no solutions".into());
        };
        let serializer = QueryResultsSerializer::from_format(QueryResultsFormat::Json);
        let mut rows =
            serializer.serialize_solutions_to_writer(Vec::new(), solutions.variables().to_vec())?;
        for solution in solutions {
            rows.serialize(&solution?)?;
        }
        Ok(String::from_utf8(rows.finish()?)?)
    }
}

/// Reads the labels out of results in JSON.
fn labels(results: &str) -> Result<Answer, Failure> {
    let results: Value = serde_json::from_str(results)?;
    let bindings = results["results"]["bindings"].as_array().ok_or("no bindings")?;
    let labels = bindings
        .iter()
        .map(|row| row["label"]["value"].as_str().unwrap_or_default().to_owned());
    Ok(labels.collect())
}

fn node(id: u64) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/term/{id}"))
}
