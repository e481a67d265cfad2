//! The facts between two versions, and the next version from a version and facts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use taxonomy_keys::Culture;

use crate::changes::fact::{Fact, NodeId, TermPosition};
use crate::changes::record::{Assembly, InvalidRecord, NameRecord, Record};
use crate::counts::totals::Changes;
use crate::items::writes::{Pair, pair_by_id};
use crate::taxonomy::derived::final_name;
use crate::taxonomy::details::Details;
use crate::taxonomy::settings::Settings;
use crate::taxonomy::{Category, Name, Node, Taxonomy, Term};

/// Returns all facts from `old` to `new`; `None` stands for a tenant without a taxonomy.
///
/// In order: configuration, categories by id, terms by id. Two versions with the same hash have no facts between them.
#[must_use]
pub fn diff(old: Option<&Taxonomy>, new: &Taxonomy) -> Vec<Fact> {
    facts_between(old, new).collect()
}

/// The same as an iterator, since the facts of a first version are as large as the version.
pub fn facts_between<'a>(old: Option<&'a Taxonomy>, new: &'a Taxonomy) -> impl Iterator<Item = Fact> + 'a {
    let configured = old
        .is_none_or(|old| old.settings() != new.settings())
        .then(|| configured(new.settings()));
    let (old_categories, old_terms) = nodes(old);
    let categories = pair_by_id(
        old_categories.into_iter(),
        new.categories(),
        |category: &Category<'_>| category.id(),
    );
    let terms = pair_by_id(old_terms.into_iter(), new.terms(), |term: &Term<'_>| term.id());
    configured
        .into_iter()
        .chain(categories.flat_map(category_facts))
        .chain(terms.flat_map(term_facts))
}

fn nodes(taxonomy: Option<&Taxonomy>) -> (Vec<Category<'_>>, Vec<Term<'_>>) {
    taxonomy.map_or_else(Default::default, |taxonomy| {
        (taxonomy.categories().collect(), taxonomy.terms().collect())
    })
}

fn configured(settings: &Settings) -> Fact {
    Fact::Configured {
        default_culture: settings.default_culture.to_string(),
        fallback_chain: settings.fallback_chain.iter().map(Culture::to_string).collect(),
    }
}

pub(crate) fn category_facts(pair: Pair<Category<'_>>) -> Vec<Fact> {
    let mut facts = Vec::new();
    match pair {
        Pair::Added(category) => facts.push(Fact::CategoryAdded(Record::of_category(category))),
        Pair::Removed(category) => facts.push(Fact::CategoryRemoved {
            id: category.id().get(),
        }),
        Pair::Kept(old, new) => changes(NodeId::Category(new.id().get()), old.node, new.node, &mut facts),
    }
    facts
}

pub(crate) fn term_facts(pair: Pair<Term<'_>>) -> Vec<Fact> {
    let mut facts = Vec::new();
    match pair {
        Pair::Added(term) => facts.push(Fact::TermAdded(Record::of_term(term))),
        Pair::Removed(term) => facts.push(Fact::TermRemoved { id: term.id().get() }),
        Pair::Kept(old, new) => {
            let (id, from, to) = (new.id().get(), place(old), place(new));
            if from != to {
                facts.push(Fact::TermMoved { id, from, to });
            }
            changes(NodeId::Term(id), old.node, new.node, &mut facts);
        }
    }
    facts
}

fn place(term: Term<'_>) -> TermPosition {
    TermPosition {
        category: term.category().id().get(),
        parent: term.parent().map(|parent| parent.id().get()),
    }
}

/// Adds the differences between two states of one node, except for its position.
fn changes(node: NodeId, old: Node<'_>, new: Node<'_>, facts: &mut Vec<Fact>) {
    name_changes(node, old, new, facts);
    let (old, new) = (old.details(), new.details());
    if old == new {
        return;
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
}

/// The flag that has facts of its own.
const DEPRECATED: &str = "deprecated";

fn name_changes(node: NodeId, old: Node<'_>, new: Node<'_>, facts: &mut Vec<Fact>) {
    let mut names: BTreeMap<&Culture, [Option<Name<'_>>; 2]> = BTreeMap::new();
    for name in old.names() {
        names.entry(name.culture).or_default()[0] = Some(name);
    }
    for name in new.names() {
        names.entry(name.culture).or_default()[1] = Some(name);
    }
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
}

impl Changes {
    /// Counts the terms that differ between `old` (none: a tenant without a taxonomy) and `new`.
    #[must_use]
    pub fn between(old: Option<&Taxonomy>, new: &Taxonomy) -> Self {
        let mut counted = Self::default();
        let (_, old_terms) = nodes(old);
        for pair in pair_by_id(old_terms.into_iter(), new.terms(), |term: &Term<'_>| term.id()) {
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
#[must_use]
pub fn touched(old: Option<&Taxonomy>, new: &Taxonomy) -> Vec<u64> {
    let (old_categories, old_terms) = nodes(old);
    let categories = pair_by_id(
        old_categories.into_iter(),
        new.categories(),
        |category: &Category<'_>| category.id(),
    );
    let differing = categories.filter(|pair| !category_facts(*pair).is_empty());
    let mut touched: BTreeSet<u64> = differing.map(|pair| pair.any().id().get()).collect();
    for pair in pair_by_id(old_terms.into_iter(), new.terms(), |term: &Term<'_>| term.id()) {
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
    let mut records: BTreeMap<NodeId, Record> = BTreeMap::new();
    if let Some(old) = old {
        records.extend(old.categories().map(|category| {
            (
                NodeId::Category(category.id().get()),
                Record::of_category(category),
            )
        }));
        records.extend(
            old.terms()
                .map(|term| (NodeId::Term(term.id().get()), Record::of_term(term))),
        );
    }
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
    let mut assembly = Assembly::default();
    for (node, record) in records {
        match node {
            NodeId::Category(_) => assembly.push_category(record)?,
            NodeId::Term(_) => assembly.push_term(record)?,
        }
    }
    Ok(assembly.finish(settings.ok_or(ApplyError::NotConfigured)?)?)
}

fn apply_to_records(records: &mut BTreeMap<NodeId, Record>, fact: &Fact) -> Result<(), ApplyError> {
    let Some(node) = fact.subject() else { return Ok(()) };
    match fact {
        Fact::CategoryAdded(record) | Fact::TermAdded(record) => {
            let before = records.insert(node, record.clone());
            return if before.is_none() {
                Ok(())
            } else {
                Err(ApplyError::Misfit(node))
            };
        }
        Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. } => {
            return records.remove(&node).map(drop).ok_or(ApplyError::Misfit(node));
        }
        _ => {}
    }
    let record = records.get_mut(&node).ok_or(ApplyError::Misfit(node))?;
    match fact {
        Fact::TermMoved { to, .. } => (record.category, record.parent) = (Some(to.category), to.parent),
        Fact::Renamed { culture, to, .. } => set_name(record, culture, to.as_ref()),
        Fact::PathChanged { culture, to, .. } => set_path(record, culture, to.as_ref()),
        Fact::Changed { field, to, .. } => {
            set_field(&mut record.details, field, to.as_deref()).map_err(|_| ApplyError::Misfit(node))?;
        }
        Fact::Deprecated { .. } => record.details.deprecated = true,
        Fact::Reinstated { .. } => record.details.deprecated = false,
        Fact::Configured { .. }
        | Fact::CategoryAdded(_)
        | Fact::TermAdded(_)
        | Fact::CategoryRemoved { .. }
        | Fact::TermRemoved { .. } => {}
    }
    Ok(())
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
    let position = record.names.iter().position(|name| name.culture() == culture);
    match (position, to) {
        (Some(position), Some(name)) => record.names[position].set_name(name.clone()),
        (Some(position), None) => drop(record.names.remove(position)),
        (None, Some(name)) => record
            .names
            .push(NameRecord::Plain(culture.to_owned(), name.clone())),
        (None, None) => {}
    }
}

/// A path is removed with its name, so the path of a removed name needs no change.
fn set_path(record: &mut Record, culture: &str, to: Option<&String>) {
    if let Some(name) = record.names.iter_mut().find(|name| name.culture() == culture) {
        name.set_path(to.cloned());
    }
}
