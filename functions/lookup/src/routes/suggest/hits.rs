//! The items of a page: the nodes that were found, each in its best culture, with the name that matches.

use taxonomy_api::{MatchClass, MatchedName, NameKind, NodeKind, Suggestion};
use taxonomy_index::search::{Found, Hit, Kind, Match, Query};
use taxonomy_keys::Culture;

use crate::files::{FileNode, VersionFile};
use crate::response::problem::Problem;
use crate::routes::best_name::CategoryNamed;

/// A hit before it is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// By a name of a culture, which has this number.
    Name(usize, Found),
    /// By the id of the node with this ordinal.
    Id(u32),
}

impl Place {
    /// Returns all hits in their order: an id is equal to the query as a whole name is, and comes after these.
    pub(super) fn all(names: &[(usize, Found)], with_id: &[u32]) -> Vec<Self> {
        let whole = names.partition_point(|(_, name)| name.class == Match::Whole);
        let (whole, others) = names.split_at(whole);
        let is_whole = |ordinal: &u32| whole.iter().any(|(_, name)| name.ordinal == *ordinal);
        let ids = with_id.iter().filter(|ordinal| !is_whole(ordinal));
        let others = others.iter().filter(|(_, name)| !with_id.contains(&name.ordinal));
        let of_name = |(number, name): &(usize, Found)| Self::Name(*number, *name);
        let whole = whole.iter().map(of_name);
        whole
            .chain(ids.map(|ordinal| Self::Id(*ordinal)))
            .chain(others.map(of_name))
            .collect()
    }

    fn ordinal(&self) -> u32 {
        match self {
            Self::Name(_, name) => name.ordinal,
            Self::Id(ordinal) => *ordinal,
        }
    }
}

/// Completes hits, given the order of cultures of the request and the cultures that were searched.
pub(super) async fn items(
    file: &VersionFile<'_>,
    (order, searched): (&[Culture], &[Culture]),
    query: &Query,
    places: &[Place],
) -> Result<Vec<Suggestion>, Problem> {
    let ordinals: Vec<u32> = places.iter().map(Place::ordinal).collect();
    let nodes = file.nodes(&ordinals).await?;
    let names = places.iter().filter_map(|place| match place {
        Place::Name(number, name) => Some((*number, *name)),
        Place::Id(_) => None,
    });
    let mut hits = file.hits_of(searched, query, names).await?;
    let items = nodes.iter().zip(places).map(|(node, place)| {
        let matched = match place {
            Place::Id(_) => by_id(node.node_id()?, order.first()?),
            Place::Name(..) => {
                let (culture, hit) = hits.remove(&node.ordinal)?;
                (hit.id, by_name(culture, hit))
            }
        };
        suggestion(node, order, matched)
    });
    let items: Option<Vec<Suggestion>> = items.collect();
    items.ok_or_else(|| Problem::file_lost("a search object names another node than the index file"))
}

/// Returns a live node in its best culture; none if it has another id than the match.
fn suggestion(node: &FileNode, order: &[Culture], (id, matched): (u64, MatchedName)) -> Option<Suggestion> {
    if node.node_id()? != id {
        return None;
    }
    if let Some(term) = node.stored_term(order) {
        return Some(Suggestion {
            kind: NodeKind::Term,
            id,
            path: term.paths().swap_remove(0),
            name: term.name,
            culture: term.culture,
            final_name: Some(term.final_name),
            category: Some(term.category_id),
            notation: term.notation,
            deprecated: term.deprecated,
            matched,
        });
    }
    let category = node.stored_category()?;
    let named = CategoryNamed::new(&category, order);
    Some(Suggestion {
        kind: NodeKind::Category,
        id,
        name: named.name.to_owned(),
        culture: named.culture.clone(),
        path: named.path.map(str::to_owned),
        final_name: None,
        category: None,
        notation: category.notation.clone(),
        deprecated: category.deprecated,
        matched,
    })
}

/// An id has no culture of its own: it is that of the request.
fn by_id(id: u64, culture: &Culture) -> (u64, MatchedName) {
    let name = id.to_string();
    let matched = MatchedName {
        culture: culture.clone(),
        kind: NameKind::Id,
        class: MatchClass::Whole,
        ranges: vec![[0, u32::try_from(name.len()).unwrap_or(u32::MAX)]],
        name,
    };
    (id, matched)
}

fn by_name(culture: &Culture, hit: Hit) -> MatchedName {
    let ranges = hit.ranges.into_iter();
    MatchedName {
        name: hit.name,
        culture: culture.clone(),
        kind: match hit.kind {
            Kind::Preferred => NameKind::Name,
            Kind::Alternative => NameKind::AltName,
            Kind::Notation => NameKind::Notation,
        },
        class: match hit.matched {
            Match::Whole => MatchClass::Whole,
            Match::Folded => MatchClass::Folded,
            Match::Start => MatchClass::Start,
            Match::Word => MatchClass::Word,
            Match::Inside => MatchClass::Inside,
            Match::Typo => MatchClass::Typo,
        },
        ranges: ranges.map(|range| [range.start, range.end]).collect(),
    }
}
