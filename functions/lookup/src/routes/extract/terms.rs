//! The candidates of mentions: the terms, read from the index file, each with the name that the text has.

use std::collections::{BTreeSet, HashMap};

use taxonomy_api::{MentionedName, MentionedTerm};
use taxonomy_index::search::mention::{Candidate, Class, Mention, class};
use taxonomy_index::search::{Kind, Language};
use taxonomy_keys::{Culture, TermId};
use taxonomy_model::stored::StoredTerm;

use crate::files::FileNode;
use crate::response::problem::Problem;
use crate::routes::replacements::Replacements;
use crate::snapshot::Snapshot;

/// The number of terms whose blocks are in memory at once.
const TERMS_AT_ONCE: usize = 50;

/// The terms of a page, by their ordinals.
pub(super) struct Terms {
    terms: HashMap<u32, NamedTerm>,
    replacements: Replacements,
}

/// A term with its names in the cultures that are looked for.
struct NamedTerm {
    term: StoredTerm,
    id: TermId,
    names: Vec<(usize, Kind, String)>,
}

impl Terms {
    pub(super) async fn read(
        snapshot: &Snapshot<'_>,
        mentions: &[Mention<'_>],
        cultures: &[Culture],
    ) -> Result<Self, Problem> {
        let (file, order) = (snapshot.file().await?, snapshot.order());
        let candidates = mentions.iter().flat_map(|mention| &mention.candidates);
        let ordinals: BTreeSet<u32> = candidates.map(|candidate| candidate.ordinal).collect();
        let ordinals: Vec<u32> = ordinals.into_iter().collect();
        let mut terms = HashMap::with_capacity(ordinals.len());
        for ordinals in ordinals.chunks(TERMS_AT_ONCE) {
            let nodes = file.nodes(ordinals).await?;
            let named = nodes
                .iter()
                .filter_map(|node| Some((node.ordinal, NamedTerm::new(node, &order, cultures)?)));
            terms.extend(named);
        }
        let deprecated = terms.values().filter(|named: &&NamedTerm| named.term.deprecated);
        let replacements =
            Replacements::follow(snapshot, deprecated.map(|named| (named.id, &named.term))).await?;
        Ok(Self { terms, replacements })
    }

    /// Returns a candidate, and how a piece of the text has a name of it: the best one of those names.
    pub(super) fn candidate(
        &self,
        piece: &str,
        candidate: Candidate,
        cultures: &[Culture],
    ) -> Result<(Class, MentionedTerm<'_>), Problem> {
        let other = || Problem::file_lost("a search object names another term than the index file");
        let named = self.terms.get(&candidate.ordinal).ok_or_else(other)?;
        let of_culture = named
            .names
            .iter()
            .filter(|(culture, ..)| *culture == candidate.automaton);
        let language = Language::from(&cultures[candidate.automaton]);
        let best =
            of_culture.filter_map(|(_, kind, name)| Some((class(language, piece, name)?, *kind, name)));
        let (class, kind, name) = best
            .min_by_key(|(class, kind, _)| (*class, *kind))
            .ok_or_else(other)?;
        let term = &named.term;
        let mentioned = MentionedName {
            name: name.into(),
            culture: cultures[candidate.automaton].clone(),
            kind: match kind {
                Kind::Preferred => "name",
                _ => "altName",
            }
            .into(),
            class: match class {
                Class::Whole => "whole",
                Class::Folded => "folded",
                Class::Plural => "plural",
            }
            .into(),
        };
        let term = MentionedTerm {
            id: named.id,
            name: (&*term.name).into(),
            culture: term.culture.clone(),
            final_name: (&*term.final_name).into(),
            path: term.paths().swap_remove(0),
            category: term.category_id,
            notation: term.notation.as_deref().map(Into::into),
            deprecated: term.deprecated,
            replaced_by: self.replacements.get(named.id, term).into(),
            mentioned,
        };
        Ok((class, term))
    }
}

impl NamedTerm {
    /// None for a node that is no term.
    fn new(node: &FileNode, order: &[Culture], cultures: &[Culture]) -> Option<Self> {
        let term = node.term()?;
        let mut names = Vec::new();
        for (number, culture) in cultures.iter().enumerate() {
            let preferred = term
                .node
                .name_in(culture)
                .map(|name| (number, Kind::Preferred, name.name.to_owned()));
            let alternative = term
                .node
                .details()
                .alt_names
                .iter()
                .filter(|(tag, _)| tag == culture);
            names.extend(preferred);
            names.extend(alternative.map(|(_, name)| (number, Kind::Alternative, name.clone())));
        }
        Some(Self {
            id: term.id(),
            names,
            term: node.stored_term(order)?,
        })
    }
}
