//! The facts between two versions, and the next version from a version and facts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use taxonomy_keys::Culture;

use crate::changes::fact::{Fact, NodeId, TermPosition};
use crate::changes::record::{InvalidRecord, NameRecord, Record, TaxonomyBuilder};
use crate::counts::totals::Changes;
use crate::items::writes::{Pair, pair_categories, pair_terms};
use crate::taxonomy::derived::final_name;
use crate::taxonomy::details::Details;
use crate::taxonomy::settings::Settings;
use crate::taxonomy::{Category, Name, Node, Taxonomy, Term};

/// Returns all facts from `old` to `new`; `None` stands for a tenant without a taxonomy.
///
/// In order: configuration, categories by id, terms by id. Two versions with the same hash have no facts between them.
pub fn diff(old: Option<&Taxonomy>, new: &Taxonomy) -> Vec<Fact> {
    facts_between(old, new).collect()
}

/// The same as an iterator, since the facts of a first version are as large as the version.
pub fn facts_between<'a>(old: Option<&'a Taxonomy>, new: &'a Taxonomy) -> impl Iterator<Item = Fact> + 'a {
    let configured = old
        .is_none_or(|old| old.settings() != new.settings())
        .then(|| configured(new.settings()));
    configured
        .into_iter()
        .chain(pair_categories(old, new).flat_map(category_facts))
        .chain(pair_terms(old, new).flat_map(term_facts))
}

fn configured(settings: &Settings) -> Fact {
    Fact::Configured {
        default_culture: settings.default_culture.to_string(),
        fallback_chain: settings.fallback_chain.iter().map(Culture::to_string).collect(),
    }
}

pub(crate) fn category_facts(pair: Pair<Category<'_>>) -> Vec<Fact> {
    match pair {
        Pair::Added(category) => vec![Fact::CategoryAdded(Record::of_category(category))],
        Pair::Removed(category) => vec![Fact::CategoryRemoved {
            id: category.id().get(),
        }],
        Pair::Kept(old, new) => changes(NodeId::Category(new.id().get()), old.node, new.node),
    }
}

pub(crate) fn term_facts(pair: Pair<Term<'_>>) -> Vec<Fact> {
    match pair {
        Pair::Added(term) => vec![Fact::TermAdded(Record::of_term(term))],
        Pair::Removed(term) => vec![Fact::TermRemoved { id: term.id().get() }],
        Pair::Kept(old, new) => {
            let (id, from, to) = (new.id().get(), position(old), position(new));
            let moved = (from != to).then_some(Fact::TermMoved { id, from, to });
            let changes = changes(NodeId::Term(id), old.node, new.node);
            moved.into_iter().chain(changes).collect()
        }
    }
}

fn position(term: Term<'_>) -> TermPosition {
    TermPosition {
        category: term.category().id().get(),
        parent: term.parent().map(|parent| parent.id().get()),
    }
}

/// Returns the differences between two states of one node, except for its position.
fn changes(node: NodeId, old: Node<'_>, new: Node<'_>) -> Vec<Fact> {
    let mut facts = name_changes(node, old, new);
    let (old, new) = (old.details(), new.details());
    if old == new {
        return facts;
    }
    match (old.deprecated, new.deprecated) {
        (false, true) => facts.push(Fact::Deprecated { node }),
        (true, false) => facts.push(Fact::Reinstated { node }),
        _ => {}
    }
    let (mut old, mut new) = (old.fields(), new.fields());
    let names: BTreeSet<String> = old.keys().chain(new.keys()).cloned().collect();
    for field in names.into_iter().filter(|field| field != DEPRECATED) {
        let (from, to) = (old.remove(&field), new.remove(&field));
        if from.as_deref().map(RawValue::get) != to.as_deref().map(RawValue::get) {
            facts.push(Fact::Changed {
                node,
                field,
                from,
                to,
            });
        }
    }
    facts
}

/// The flag that has facts of its own.
const DEPRECATED: &str = "deprecated";

fn name_changes(node: NodeId, old: Node<'_>, new: Node<'_>) -> Vec<Fact> {
    let mut names: BTreeMap<&Culture, [Option<Name<'_>>; 2]> = BTreeMap::new();
    for name in old.names() {
        names.entry(name.culture).or_default()[0] = Some(name);
    }
    for name in new.names() {
        names.entry(name.culture).or_default()[1] = Some(name);
    }
    let mut facts = Vec::new();
    for (culture, [old, new]) in names {
        let culture = culture.to_string();
        let text = |name: Option<Name<'_>>| name.map(|name| name.name.to_owned());
        if old.map(|name| name.name) != new.map(|name| name.name) {
            facts.push(Fact::Renamed {
                node,
                culture: culture.clone(),
                from: text(old),
                to: text(new),
            });
        }
        let path = |name: Option<Name<'_>>| Some(name?.path?.text().into_owned());
        let (from, to) = (path(old), path(new));
        if from != to {
            facts.push(Fact::PathChanged {
                node,
                culture,
                from,
                to,
            });
        }
    }
    facts
}

impl Changes {
    /// Counts the terms that differ between `old` (none: a tenant without a taxonomy) and `new`.
    pub fn between(old: Option<&Taxonomy>, new: &Taxonomy) -> Self {
        let mut counted = Self::default();
        for pair in pair_terms(old, new) {
            match pair {
                Pair::Added(_) => counted.added += 1,
                Pair::Removed(_) => counted.removed += 1,
                Pair::Kept(old, new) => {
                    let facts = term_facts(pair);
                    let any = |is: fn(&Fact) -> bool| u64::from(facts.iter().any(is));
                    counted.changed += u64::from(!facts.is_empty());
                    counted.renamed += any(|fact| matches!(fact, Fact::Renamed { .. }));
                    counted.moved += any(|fact| matches!(fact, Fact::TermMoved { .. }));
                    counted.deprecated += any(|fact| matches!(fact, Fact::Deprecated { .. }));
                    counted.restored += any(|fact| matches!(fact, Fact::Reinstated { .. }));
                    counted.final_names += u64::from(differs_in_final_name(old, new));
                }
            }
        }
        counted
    }
}

/// Compares the FinalNames in the default culture of each version. Names may contain the separator, so different parts can make the same
/// FinalName; the texts are built only where the parts differ.
pub(crate) fn differs_in_final_name(old: Term<'_>, new: Term<'_>) -> bool {
    let (old_category, old_name) = default_names(old);
    let (new_category, new_name) = default_names(new);
    (old_category, old_name) != (new_category, new_name)
        && final_name(old_category, old_name) != final_name(new_category, new_name)
}

/// Returns the names of a term's category and of the term in the default culture.
fn default_names(term: Term<'_>) -> (&str, &str) {
    let category = term.category().node.default_name();
    (category.name, term.node.default_name().name)
}

/// Returns the categories that differ between `old` and `new`, ascending: in a field of the category, or in a term that it has or had.
pub fn touched(old: Option<&Taxonomy>, new: &Taxonomy) -> Vec<u64> {
    let differing = pair_categories(old, new).filter(|pair| !category_facts(*pair).is_empty());
    let mut touched: BTreeSet<u64> = differing.map(|pair| pair.any().id().get()).collect();
    for pair in pair_terms(old, new) {
        let (old, new) = pair.split();
        let of = |term: Option<Term<'_>>| term.map(|term| term.category().id().get());
        let unknown = |category: Option<u64>| category.is_some_and(|category| !touched.contains(&category));
        let (old, new) = (of(old), of(new));
        if (unknown(old) || unknown(new)) && !term_facts(pair).is_empty() {
            touched.extend(old.into_iter().chain(new));
        }
    }
    touched.into_iter().collect()
}

/// The facts do not match the version that they are applied to.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A fact is about a node that does not exist, or adds one that exists.
    #[error("a fact about {0:?} does not fit")]
    Misfit(NodeId),
    /// The facts contain no configuration, and there is none to keep.
    #[error("the first version must be configured")]
    NotConfigured,
    /// A culture is not a language tag.
    #[error("not a culture")]
    Culture,
    /// The result is not a taxonomy.
    #[error(transparent)]
    Records(#[from] InvalidRecord),
}

/// Applies `facts` to `old`, and returns the resulting version.
///
/// # Errors
/// [`ApplyError`] if the facts are not those of a change of `old`.
pub fn apply(old: Option<&Taxonomy>, facts: &[Fact]) -> Result<Taxonomy, ApplyError> {
    let mut settings = old.map(|old| old.settings().clone());
    let categories = old.into_iter().flat_map(Taxonomy::categories);
    let terms = old.into_iter().flat_map(Taxonomy::terms);
    let mut records: BTreeMap<NodeId, Record> = categories
        .map(|category| {
            (
                NodeId::Category(category.id().get()),
                Record::of_category(category),
            )
        })
        .chain(terms.map(|term| (NodeId::Term(term.id().get()), Record::of_term(term))))
        .collect();
    for fact in facts {
        if let Fact::Configured {
            default_culture,
            fallback_chain,
        } = fact
        {
            let culture = |tag: &String| tag.parse::<Culture>().map_err(|_| ApplyError::Culture);
            let fallback_chain = fallback_chain.iter().map(culture).collect::<Result<_, _>>()?;
            settings = Some(Settings {
                default_culture: culture(default_culture)?,
                fallback_chain,
            });
        } else {
            apply_to_records(&mut records, fact)?;
        }
    }
    let mut builder = TaxonomyBuilder::default();
    for (node, record) in records {
        match node {
            NodeId::Category(_) => builder.push_category(record)?,
            NodeId::Term(_) => builder.push_term(record)?,
        }
    }
    Ok(builder.finish(settings.ok_or(ApplyError::NotConfigured)?)?)
}

fn apply_to_records(records: &mut BTreeMap<NodeId, Record>, fact: &Fact) -> Result<(), ApplyError> {
    let Some(node) = fact.subject() else { return Ok(()) };
    let fits = match fact {
        Fact::CategoryAdded(record) | Fact::TermAdded(record) => {
            records.insert(node, record.clone()).is_none()
        }
        Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. } => records.remove(&node).is_some(),
        _ => records.get_mut(&node).is_some_and(|record| change(record, fact)),
    };
    fits.then_some(()).ok_or(ApplyError::Misfit(node))
}

/// Applies the change of a field to a record. Returns false if the field cannot have that value.
fn change(record: &mut Record, fact: &Fact) -> bool {
    match fact {
        Fact::TermMoved { to, .. } => (record.category, record.parent) = (Some(to.category), to.parent),
        Fact::Renamed { culture, to, .. } => set_name(record, culture, to.as_ref()),
        Fact::PathChanged { culture, to, .. } => set_path(record, culture, to.as_ref()),
        Fact::Changed { field, to, .. } => {
            return set_field(&mut record.details, field, to.as_deref()).is_ok();
        }
        Fact::Deprecated { .. } => record.details.deprecated = true,
        Fact::Reinstated { .. } => record.details.deprecated = false,
        Fact::Configured { .. }
        | Fact::CategoryAdded(_)
        | Fact::TermAdded(_)
        | Fact::CategoryRemoved { .. }
        | Fact::TermRemoved { .. } => {}
    }
    true
}

fn set_field(details: &mut Details, field: &str, to: Option<&RawValue>) -> Result<(), serde_json::Error> {
    let mut fields = details.fields();
    match to {
        Some(to) => fields.insert(field.to_owned(), to.to_owned()),
        None => fields.remove(field),
    };
    *details = Details::of_fields(&fields)?;
    Ok(())
}

fn set_name(record: &mut Record, culture: &str, to: Option<&String>) {
    let Some(to) = to else {
        return record.names.retain(|NameRecord(tag, ..)| tag != culture);
    };
    match record.names.iter_mut().find(|NameRecord(tag, ..)| tag == culture) {
        Some(NameRecord(_, name, _)) => name.clone_from(to),
        None => record
            .names
            .push(NameRecord(culture.to_owned(), to.clone(), None)),
    }
}

/// A path is removed with its name, so the path of a removed name needs no change.
fn set_path(record: &mut Record, culture: &str, to: Option<&String>) {
    let mut names = record.names.iter_mut();
    if let Some(NameRecord(.., path)) = names.find(|NameRecord(tag, ..)| tag == culture) {
        *path = to.cloned();
    }
}
