//! How the reference reads a text: its words with their signs and joints, as docs/decisions/0019-search.md says, over symbols.

use std::collections::BTreeSet;

use crate::symbols::{Sort, Symbol};

/// A language of the tests: English, or Estonian, which has compounds and one ending of plurals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Estonian,
}

impl Language {
    pub(crate) fn subtag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Estonian => "et",
        }
    }

    pub(crate) fn is_and(self, word: &str) -> bool {
        let word_for_and = match self {
            Self::English => "and",
            Self::Estonian => "ja",
        };
        [word_for_and, "&", "+"].contains(&word)
    }

    /// Returns whether one word is a plural of the other.
    pub(crate) fn is_form(self, a: &str, b: &str) -> bool {
        self.plurals(a).contains(b) || self.plurals(b).contains(a)
    }

    fn plurals(self, word: &str) -> BTreeSet<String> {
        if word.chars().count() < 3 {
            return BTreeSet::new();
        }
        if self == Self::Estonian {
            return BTreeSet::from([format!("{word}d")]);
        }
        let mut plurals = BTreeSet::from([format!("{word}s")]);
        let mut change = |ending: &str, plural: &str| {
            if let Some(stem) = word.strip_suffix(ending) {
                plurals.insert(format!("{stem}{plural}"));
            }
        };
        change("y", "ies");
        for ending in ["s", "x", "z", "ch", "sh", "o"] {
            change(ending, &format!("{ending}es"));
        }
        change("f", "ves");
        change("fe", "ves");
        change("is", "es");
        change("man", "men");
        plurals
    }
}

/// A word of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Folded and surface of each symbol.
    pub(crate) symbols: Vec<(String, String, Sort)>,
    /// The sign that joins it to the word before.
    pub(crate) joint: Option<String>,
    /// A sign stands after it.
    pub(crate) has_sign: bool,
    /// Folded and surface of all symbols, and the folded letters.
    pub(crate) folded: String,
    pub(crate) surface: String,
    pub(crate) letters: Vec<char>,
}

/// A text as words.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) words: Vec<Word>,
    /// Numbers of the words without those for and.
    pub(crate) content: Vec<usize>,
    /// The text, but for case, width and white space.
    pub(crate) literal: String,
}

impl Word {
    /// Fills in what follows from the symbols.
    pub(crate) fn of(symbols: Vec<(String, String, Sort)>) -> Self {
        let folded: String = symbols.iter().map(|symbol| symbol.0.as_str()).collect();
        Self {
            surface: symbols.iter().map(|symbol| symbol.1.as_str()).collect(),
            letters: folded.chars().collect(),
            folded,
            symbols,
            ..Self::default()
        }
    }

    /// The rest of the word from each place where a search may start.
    pub(crate) fn starts(&self) -> Vec<Self> {
        let is_unspaced = |at: usize| self.symbols[at].2 == Sort::Unspaced;
        let starts = (0..self.symbols.len()).filter(|at| *at == 0 || is_unspaced(*at) || is_unspaced(at - 1));
        starts.map(|at| Self::of(self.symbols[at..].to_vec())).collect()
    }

    /// Words written as one.
    pub(crate) fn joined(words: &[Self]) -> Self {
        Self::of(words.iter().flat_map(|word| word.symbols.clone()).collect())
    }

    /// The two words that the word may be.
    pub(crate) fn splits(&self) -> Vec<(String, String)> {
        let letters = &self.letters;
        if self.has_sign || self.symbols.iter().any(|symbol| symbol.2 == Sort::Unspaced) {
            return Vec::new();
        }
        let halves = (1..letters.len()).map(|at| letters.split_at(at));
        let halves = halves.filter(|(_, second)| second.len() >= 2);
        let halves = halves.map(|(first, second)| (first.iter().collect(), second.iter().collect()));
        halves.collect()
    }
}

fn is_letter(symbol: Option<&Symbol>) -> bool {
    symbol.is_some_and(|symbol| matches!(symbol.sort, Sort::Letter | Sort::Unspaced))
}

impl Reading {
    pub(crate) fn new(symbols: &[Symbol], language: Language) -> Self {
        let words = words(symbols);
        let is_and = |at: &usize| {
            let is_inner = *at > 0 && at + 1 < words.len();
            let is_alone = |at: usize| words[at].joint.is_none();
            is_inner && is_alone(*at) && is_alone(at + 1) && language.is_and(&words[*at].folded)
        };
        let content = (0..words.len()).filter(|at| !is_and(at)).collect();
        let literal: String = symbols.iter().map(|symbol| symbol.literal).collect();
        let parts = literal.split(' ').filter(|part| !part.is_empty());
        Self {
            words,
            content,
            literal: parts.collect::<Vec<_>>().join(" "),
        }
    }

    pub(crate) fn content(&self) -> impl Iterator<Item = &Word> {
        self.content.iter().map(|at| &self.words[*at])
    }

    /// Where a word of the query may begin: every word, in scripts without spaces every symbol, and every word that signs join to the next ones.
    pub(crate) fn starts(&self) -> Vec<Word> {
        let mut starts: Vec<Word> = self.words.iter().flat_map(Word::starts).collect();
        for at in 0..self.words.len() {
            let joined = (at + 1..self.words.len()).take_while(|next| self.is_joined(*next));
            let last = joined.last();
            starts.extend(last.map(|last| Word::joined(&self.words[at..=last])));
        }
        starts
    }

    fn is_joined(&self, at: usize) -> bool {
        let (before, word) = (&self.words[at - 1], &self.words[at]);
        let joins = match word.joint.as_deref() {
            None => false,
            Some("/") => before.letters.len() <= 3 || word.letters.len() <= 3,
            Some("'") => before.letters.len() > 2,
            Some(_) => true,
        };
        let (last, first) = (before.symbols.last().unwrap(), word.symbols.first().unwrap());
        let is_digit = |symbol: &(String, String, Sort)| symbol.0.chars().all(char::is_numeric);
        joins && !(is_digit(last) && is_digit(first)) && last.2 != Sort::Unspaced && first.2 != Sort::Unspaced
    }
}

/// Divides symbols into words.
#[expect(clippy::too_many_lines, reason = "one case after the other")]
fn words(symbols: &[Symbol]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut between = String::new();
    let mut at = 0;
    while at < symbols.len() {
        let from = at;
        let sort = symbols[at].sort;
        let is_of = |symbol: &Symbol| match sort {
            Sort::Letter | Sort::Unspaced => is_letter(Some(symbol)),
            _ => symbol.sort == sort,
        };
        while at < symbols.len() && is_of(&symbols[at]) {
            at += 1;
        }
        let part = &symbols[from..at];
        let before = from.checked_sub(1).map(|before| &symbols[before]);
        let touches = (is_letter(before), is_letter(symbols.get(at)));
        let text: String = part.iter().map(|symbol| symbol.surface).collect();
        let as_word = |joint: Option<String>, most: usize| {
            let symbols = part.iter().take(most);
            let texts = |symbol: &Symbol| (symbol.folded.to_owned(), symbol.surface.to_owned(), symbol.sort);
            Word {
                symbols: symbols.map(texts).collect(),
                joint,
                ..Word::default()
            }
        };
        match (sort, touches) {
            (Sort::Gap, _) => between += "  ",
            (Sort::Joint, _) => between += &text,
            (Sort::Letter | Sort::Unspaced | Sort::Picture, _) => {
                let joint = Some(between.clone()).filter(|between| between.len() == 1 && !words.is_empty());
                let mut word = as_word(joint, usize::MAX);
                let sign = sign_before(symbols, from).filter(|_| sort != Sort::Picture);
                if let Some(sign) = sign {
                    word.symbols[0].1.insert_str(0, &sign);
                    word.joint = None;
                }
                words.push(word);
                between.clear();
            }
            (Sort::Sign, (true, true)) if text == "&" || text == "+" => between += &text,
            (Sort::Sign, (true, is_before)) if !text.starts_with('&') => {
                let word = words.last_mut().unwrap();
                word.symbols.last_mut().unwrap().1 += &text.chars().take(4).collect::<String>();
                word.has_sign = true;
                between = text.chars().take(usize::from(is_before)).collect();
            }
            (Sort::Sign, (false, true)) if !text.starts_with('&') => {
                // Signs join nothing to what is before them.
            }
            (Sort::Sign, _) => {
                words.push(as_word(None, 4));
                between = "  ".to_owned();
            }
        }
    }
    let finished = words.into_iter().map(|word| Word {
        joint: word.joint,
        has_sign: word.has_sign,
        ..Word::of(word.symbols)
    });
    finished.collect()
}

/// The signs that a word begins with: those, or the point, that touch no word before them.
fn sign_before(symbols: &[Symbol], word: usize) -> Option<String> {
    let is_sign = |at: &usize| symbols[*at].sort == Sort::Sign;
    let is_point = |at: &usize| symbols[*at].surface == ".";
    let from = (0..word).rev().take_while(is_sign).last();
    let from = from.or_else(|| word.checked_sub(1).filter(is_point))?;
    let text: String = symbols[from..word].iter().map(|symbol| symbol.surface).collect();
    let follows = from > 0 && is_letter(Some(&symbols[from - 1]));
    (!follows && !text.starts_with('&')).then(|| text.chars().take(4).collect())
}
