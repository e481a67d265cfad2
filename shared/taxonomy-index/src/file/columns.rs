//! Writing columns: the numbers of all ordinals.

use taxonomy_model::NodeId;

use crate::ROWS;
use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::file::body::FileWriter;
use crate::file::column::{Row, encode};
use crate::file::list::PartList;
use crate::file::past::{Gone, Past};

/// Writes all columns. `gone` are the categories and terms that no longer exist, in the order of their ordinals.
pub(crate) fn write(
    writer: &mut FileWriter,
    source: &Source<'_>,
    past: &Past<'_>,
    gone: &[Gone],
) -> Result<PartList, BuildError> {
    let removed = gone.iter().map(|gone| removed(source, past, gone));
    let mut rows = live(source, past).chain(removed).peekable();
    let mut list = PartList::default();
    while rows.peek().is_some() {
        let column = rows
            .by_ref()
            .take(ROWS)
            .collect::<Result<Vec<Row>, BuildError>>()?;
        writer.add(&mut list, (PartName::Column, "columns"), &encode(&column))?;
        let changed_in = column.iter().map(|row| row.changed_in.get());
        list.changed_in.push(changed_in.max().unwrap_or_default());
    }
    Ok(list)
}

/// The rows of everything that the version has.
fn live<'a>(source: &Source<'a>, past: &'a Past<'_>) -> impl Iterator<Item = Result<Row, BuildError>> {
    let Source {
        identity,
        taxonomy,
        order,
        changed,
        ..
    } = *source;
    let categories = order.categories_of(taxonomy).map(move |category| {
        let id = NodeId::Category(category.id().get());
        (id, category.node, 0, changed.has_fact_of(id))
    });
    let terms = order.terms_of(taxonomy).map(move |term| {
        let id = NodeId::Term(term.id().get());
        (id, term.node, term.depth(), changed.term(term))
    });
    let nodes = categories.chain(terms).zip(order.places());
    nodes.map(move |((id, node, depth, is_changed), place)| {
        let (before, has_fact) = (past.row_of(id)?, changed.has_fact_of(id));
        let (created_in, changed_in) = match before {
            Some(before) if is_changed => (before.created_in, identity.version),
            Some(before) => (before.created_in, before.changed_in),
            None => (identity.version, identity.version),
        };
        // Only a fact can add or restore something.
        if before.is_none_or(|before| before.removed) && !has_fact {
            return Err(BuildError::Facts(id));
        }
        Ok(Row {
            span: place.span,
            first: place.first,
            children: place.children,
            created_in,
            changed_in,
            depth,
            deprecated: node.details().deprecated,
            removed: false,
        })
    })
}

fn removed(source: &Source<'_>, past: &Past<'_>, gone: &Gone) -> Result<Row, BuildError> {
    let row = past.row(gone.before)?;
    if !row.removed && !source.changed.has_fact_of(gone.node) {
        return Err(BuildError::Facts(gone.node));
    }
    Ok(Row {
        span: 0,
        first: None,
        children: 0,
        changed_in: if row.removed {
            row.changed_in
        } else {
            source.identity.version
        },
        deprecated: true,
        removed: true,
        ..row
    })
}
