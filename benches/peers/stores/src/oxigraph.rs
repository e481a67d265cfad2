//! Oxigraph, a triple store in memory of this process: SKOS statements, asked by SPARQL.

use std::error::Error;

use oxigraph::model::{GraphNameRef, Literal, NamedNode, NamedNodeRef, QuadRef};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store as Triples;

use crate::question::{Answer, Kind, Question, Store, Way};
use crate::rows::Rows;

pub struct Oxigraph {
    triples: Triples,
}

const BROADER: &str = "http://www.w3.org/2004/02/skos/core#broader";
const LABEL: &str = "http://www.w3.org/2004/02/skos/core#prefLabel";
const DEPTH: &str = "http://example.org/depth";
const WAYS: &[Way] = &[Way::new(Kind::Term, "SPARQL, skos:broader*", 1.0)];

impl Oxigraph {
    pub fn load(rows: &Rows) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
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
        Ok(Some(Box::new(Self { triples })))
    }
}

fn node(id: u64) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/term/{id}"))
}

impl Store for Oxigraph {
    fn name(&self) -> &'static str {
        "Oxigraph in the process"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, _: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        let Question::Term(id) = question else {
            return Err("not measured".into());
        };
        let query = format!(
            "SELECT ?label WHERE {{ {} <{BROADER}>* ?above . ?above <{LABEL}> ?label ; <{DEPTH}> ?depth }} ORDER BY DESC(?depth)",
            node(*id)
        );
        let results = SparqlEvaluator::new()
            .parse_query(&query)?
            .on_store(&self.triples)
            .execute()?;
        let QueryResults::Solutions(solutions) = results else {
            return Err("no solutions".into());
        };
        let mut names = Vec::new();
        for solution in solutions {
            match solution?.get("label") {
                Some(oxigraph::model::Term::Literal(label)) => names.push(label.value().to_owned()),
                _ => return Err("no label".into()),
            }
        }
        Ok(names)
    }
}
