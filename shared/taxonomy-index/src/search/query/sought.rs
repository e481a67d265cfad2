//! The keys that a query seeks.

use crate::search::key::{Space, after, key, next};
use crate::search::query::Phrase;
use crate::search::query::locate::Span;
use crate::search::query::plan::{Plan, Wanted};

/// A range of keys, and where their postings are.
#[derive(Debug, Clone)]
pub(crate) struct Sought {
    pub(crate) start: Vec<u8>,
    pub(crate) end: Vec<u8>,
    /// The prefix, if the range is that of all keys with it, or of all but the prefix itself.
    pub(crate) prefix: Option<Vec<u8>>,
    /// As [`PostingRange::exact_from`].
    pub(crate) exact_from: Option<u32>,
    /// As [`PostingRange::is_word`].
    pub(crate) is_word: bool,
    pub(crate) span: Span,
}

impl Sought {
    /// Seeks the keys with a prefix.
    pub(crate) fn prefix(space: Space, text: &str, exact_from: Option<u32>) -> Self {
        let prefix = key(space, text);
        Self {
            end: after(&prefix),
            start: prefix.clone(),
            prefix: Some(prefix),
            exact_from,
            is_word: false,
            span: Span::default(),
        }
    }

    /// Seeks a key.
    pub(crate) fn key(space: Space, text: &str, exact_from: Option<u32>) -> Self {
        let start = key(space, text);
        Self {
            end: next(&start),
            start,
            prefix: None,
            exact_from,
            is_word: true,
            span: Span::default(),
        }
    }

    /// Divides the keys with a prefix into the prefix itself and the others.
    fn divide(self) -> Vec<Self> {
        if self.prefix.is_none() {
            return vec![self];
        }
        let (start, end) = (next(&self.start), next(&self.start));
        let others = Self {
            start,
            ..self.clone()
        };
        let key = Self {
            end,
            prefix: None,
            is_word: true,
            ..self
        };
        vec![key, others]
    }

    fn phrase(phrase: &Phrase, folded: Space, surface: Space) -> Vec<Self> {
        if phrase.is_plain() {
            return vec![Self::prefix(folded, &phrase.folded, Some(phrase.letters()))];
        }
        vec![
            Self::prefix(folded, &phrase.folded, None),
            Self::prefix(surface, &phrase.surface, Some(0)),
        ]
    }

    fn start(plan: &Plan) -> Vec<Self> {
        let mut sought = Self::phrase(&plan.name, Space::Name, Space::NameSurface);
        if plan.is_complete {
            sought[0] = Self::prefix(Space::Name, &format!("{} ", plan.name.folded), None);
        }
        sought.push(Self::prefix(Space::Notation, &plan.notation.folded, Some(0)));
        sought
    }

    /// Seeks the names that meet a word, the only one of a query or one of several.
    fn word(word: &Wanted, is_one: bool) -> Vec<Self> {
        let mut sought = Self::phrase(&word.phrase, Space::Word, Space::WordSurface);
        if word.is_complete {
            sought[0] = Self::key(Space::Word, &word.phrase.folded, None);
            sought[0].is_word = !is_one;
        }
        if word.is_joined {
            sought.iter_mut().for_each(|sought| sought.exact_from = None);
        }
        if !is_one {
            sought = sought.into_iter().flat_map(Self::divide).collect();
        }
        for joined in &word.joined {
            let mut more = Self::phrase(joined, Space::Word, Space::WordSurface);
            if !word.is_joined {
                more.truncate(1);
                more[0].exact_from = None;
            }
            sought.append(&mut more);
        }
        let forms = word.forms.iter();
        sought.extend(forms.map(|form| Self::key(Space::Word, form, None)));
        sought
    }
}

/// All keys of a query.
#[derive(Debug)]
pub(crate) struct Wants {
    pub(crate) start: Vec<Sought>,
    pub(crate) words: Vec<Vec<Sought>>,
    pub(crate) others: Vec<Vec<Sought>>,
}

impl Wants {
    pub(crate) fn new(plan: &Plan) -> Self {
        let is_one = plan.words.len() == 1;
        let words = plan.words.iter().map(|word| Sought::word(word, is_one));
        let others = plan.others.iter();
        Self {
            start: Sought::start(plan),
            words: words.collect(),
            others: others
                .map(|word| vec![Sought::prefix(Space::Word, &word.folded, None)])
                .collect(),
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Sought> {
        self.start
            .iter()
            .chain(self.words.iter().chain(&self.others).flatten())
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Sought> {
        let words = self.words.iter_mut().chain(&mut self.others);
        self.start.iter_mut().chain(words.flatten())
    }
}
