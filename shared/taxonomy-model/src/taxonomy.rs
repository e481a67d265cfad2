//! The validated tree of one version.
//!
//! All texts lie in one buffer and all names in one list, so that a taxonomy costs little more than its texts: 100,000
//! terms are a handful of allocations.

use std::ops::Range;

use taxonomy_keys::{CategoryId, Culture, TermId, fallback};

use crate::names::NameList;
use crate::settings::Settings;
use crate::text::{Span, TextBuffer};

/// A taxonomy that keeps every rule of the format: ids unique, every node named in the default culture, depth bounded.
///
/// Categories and terms ascend by id; names of a node ascend by culture.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    pub(crate) settings: Settings,
    pub(crate) cultures: Vec<Culture>,
    pub(crate) text: TextBuffer,
    pub(crate) names: NameList,
    pub(crate) extras: Vec<Extra>,
    pub(crate) categories: Vec<NodeData>,
    pub(crate) terms: Vec<NodeData>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct NameData {
    pub(crate) culture: u16,
    pub(crate) name: Span,
    pub(crate) path: Option<Span>,
}

/// A category or a term; `category` and `parent` are positions in their lists.
#[derive(Debug, Clone)]
pub(crate) struct NodeData {
    pub(crate) id: u64,
    pub(crate) category: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) depth: u8,
    pub(crate) leaf: bool,
    pub(crate) names: Range<u32>,
    pub(crate) extra: Option<u32>,
}

/// What few nodes have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Extra {
    pub(crate) notation: Option<String>,
    pub(crate) alt_names: Vec<(Culture, String)>,
    pub(crate) sort_key: Option<String>,
    /// Canonical JSON of an object that is not empty.
    pub(crate) metadata: Option<String>,
    pub(crate) deprecated: bool,
    pub(crate) replaced_by: Vec<u64>,
}

/// A name of a node in one culture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// Its culture.
    pub culture: &'a Culture,
    /// The name.
    pub name: &'a str,
    /// The path, where the file gives one.
    pub path: Option<&'a str>,
}

impl Taxonomy {
    /// Default culture and fallback chain of the version.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every culture in which something has a name, ascending.
    #[must_use]
    pub fn cultures(&self) -> &[Culture] {
        &self.cultures
    }

    /// The categories, ascending by id.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = Category<'_>> {
        self.categories.iter().map(|data| Category {
            node: Node { taxonomy: self, data },
        })
    }

    /// The terms, ascending by id.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = Term<'_>> {
        self.terms.iter().map(|data| Term {
            node: Node { taxonomy: self, data },
        })
    }

    fn name(&self, data: &NameData) -> Name<'_> {
        Name {
            culture: &self.cultures[usize::from(data.culture)],
            name: self.text.get(data.name),
            path: data.path.map(|span| self.text.get(span)),
        }
    }

    /// The category with this id.
    #[must_use]
    pub fn category(&self, id: CategoryId) -> Option<Category<'_>> {
        let found = self
            .categories
            .binary_search_by_key(&id.get(), |data| data.id)
            .ok()?;
        Some(Category {
            node: Node {
                taxonomy: self,
                data: &self.categories[found],
            },
        })
    }

    /// The term with this id.
    #[must_use]
    pub fn term(&self, id: TermId) -> Option<Term<'_>> {
        let found = self.terms.binary_search_by_key(&id.get(), |data| data.id).ok()?;
        Some(Term {
            node: Node {
                taxonomy: self,
                data: &self.terms[found],
            },
        })
    }
}

/// What categories and terms have in common.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    taxonomy: &'a Taxonomy,
    data: &'a NodeData,
}

impl<'a> Node<'a> {
    /// The names, ascending by culture.
    pub fn names(self) -> impl Iterator<Item = Name<'a>> {
        let taxonomy = self.taxonomy;
        let names = taxonomy.names.get(&self.data.names).iter();
        names.map(move |data| taxonomy.name(data))
    }

    /// The name in exactly this culture.
    #[must_use]
    pub fn name_in(self, culture: &Culture) -> Option<Name<'a>> {
        let taxonomy = self.taxonomy;
        let number = taxonomy.cultures.binary_search(culture).ok()?;
        let names = taxonomy.names.get(&self.data.names);
        let found = names
            .binary_search_by_key(&number, |name| usize::from(name.culture))
            .ok()?;
        Some(taxonomy.name(&names[found]))
    }

    /// The name in the default culture.
    ///
    /// # Panics
    /// Never: every way to build a [`Taxonomy`] checks that each node has one.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "an invariant of the type, checked by Draft::finish"
    )]
    pub fn default_name(self) -> Name<'a> {
        self.name_in(&self.taxonomy.settings.default_culture)
            .expect("every node has a name in the default culture")
    }

    /// The best name for `culture`: its own, else along the fallback.
    #[must_use]
    pub fn best_name(self, culture: &Culture) -> Name<'a> {
        if let Some(exact) = self.name_in(culture) {
            return exact;
        }
        let settings = &self.taxonomy.settings;
        let available: Vec<Culture> = self.names().map(|name| name.culture.clone()).collect();
        fallback(
            culture,
            &available,
            &settings.fallback_chain,
            &settings.default_culture,
        )
        .iter()
        .find_map(|culture| self.name_in(culture))
        .unwrap_or_else(|| self.default_name())
    }

    fn extra(self) -> Option<&'a Extra> {
        self.data
            .extra
            .map(|position| &self.taxonomy.extras[position as usize])
    }

    /// The code in a classification, SKOS `notation`.
    #[must_use]
    pub fn notation(self) -> Option<&'a str> {
        self.extra()?.notation.as_deref()
    }

    /// Alternative names, ascending by culture, in the author's order inside a culture.
    #[must_use]
    pub fn alt_names(self) -> &'a [(Culture, String)] {
        self.extra().map_or(&[], |extra| &extra.alt_names)
    }

    /// What the author sorts siblings by.
    #[must_use]
    pub fn sort_key(self) -> Option<&'a str> {
        self.extra()?.sort_key.as_deref()
    }

    /// Canonical JSON of an object that is not empty.
    #[must_use]
    pub fn metadata(self) -> Option<&'a str> {
        self.extra()?.metadata.as_deref()
    }

    /// Still there, but not to be used for new things.
    #[must_use]
    pub fn deprecated(self) -> bool {
        self.extra().is_some_and(|extra| extra.deprecated)
    }

    /// The ids of what replaces it, categories for a category, terms for a term.
    #[must_use]
    pub fn replaced_by(self) -> &'a [u64] {
        self.extra().map_or(&[], |extra| &extra.replaced_by)
    }
}

/// A category of a taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Category<'a> {
    /// Names and everything else it shares with terms.
    pub node: Node<'a>,
}

impl Category<'_> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> CategoryId {
        CategoryId::new(self.node.data.id).unwrap_or(CategoryId::MAX)
    }
}

/// A term of a taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Term<'a> {
    /// Names and everything else it shares with categories.
    pub node: Node<'a>,
}

impl<'a> Term<'a> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> TermId {
        TermId::new(self.node.data.id).unwrap_or(TermId::MAX)
    }

    /// The category it belongs to.
    #[must_use]
    pub fn category(self) -> Category<'a> {
        let taxonomy = self.node.taxonomy;
        Category {
            node: Node {
                taxonomy,
                data: &taxonomy.categories[self.node.data.category as usize],
            },
        }
    }

    /// The term above it; none for a top term.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let taxonomy = self.node.taxonomy;
        let position = self.node.data.parent?;
        Some(Self {
            node: Node {
                taxonomy,
                data: &taxonomy.terms[position as usize],
            },
        })
    }

    /// Its ancestors, nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |term| term.parent())
    }

    /// 1 for a top term.
    #[must_use]
    pub fn depth(self) -> u8 {
        self.node.data.depth
    }

    /// Whether no term lies below it.
    #[must_use]
    pub fn is_leaf(self) -> bool {
        self.node.data.leaf
    }
}
