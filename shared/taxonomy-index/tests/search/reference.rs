//! A search that looks at every name, letter by letter. It shares no code with the index.

use std::collections::BTreeSet;

use taxonomy_index::search::{Kind, Match};

use crate::object::OwnEntry;
use crate::reading::{Language, Reading, Word};
use crate::symbols::{Sort, Symbol, written};

/// Words of a query that must be met, and that rank.
const WORDS: usize = 8;
/// Words inside words and typos are tried where there are fewer nodes.
const FEW: usize = 10;
/// Places where the words of a query are split.
const SPLITS: usize = 48;

/// A name with its reading.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) entry: OwnEntry,
    text: Spelled,
    /// Where a word of the query may begin.
    starts: Vec<Word>,
}

/// A reading with its texts.
#[derive(Debug, Clone)]
struct Spelled {
    reading: Reading,
    /// The letters of all words that count, these words with spaces, folded and surface, and all letters.
    letters: String,
    folded: String,
    surface: String,
    code: String,
}

/// Words with something between them, folded and by their surface.
fn texts<'w>(words: impl IntoIterator<Item = &'w Word>, between: &str) -> (String, String) {
    let words = words.into_iter();
    let texts = words.map(|word| (word.folded.as_str(), word.surface.as_str()));
    let (folded, surface): (Vec<&str>, Vec<&str>) = texts.unzip();
    (folded.join(between), surface.join(between))
}

impl Spelled {
    fn new(symbols: &[Symbol], language: Language) -> Self {
        let reading = Reading::new(symbols, language);
        let (folded, surface) = texts(reading.content(), " ");
        Self {
            letters: texts(reading.content(), "").0,
            folded,
            surface,
            code: texts(&reading.words, "").0,
            reading,
        }
    }
}

/// A filter of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) within: Option<Vec<std::ops::Range<u32>>>,
    pub(crate) deprecated: Option<bool>,
    /// Nodes that are left out.
    pub(crate) without: Vec<u32>,
    /// Categories alone, or terms alone.
    pub(crate) categories: Option<bool>,
    pub(crate) depth: Option<u8>,
}

impl Filter {
    fn admits(&self, entry: &OwnEntry) -> bool {
        let Self {
            within,
            deprecated,
            without,
            categories,
            depth,
        } = self;
        let is_within =
            |ranges: &Vec<std::ops::Range<u32>>| ranges.iter().any(|range| range.contains(&entry.ordinal));
        within.as_ref().is_none_or(is_within)
            && deprecated.is_none_or(|deprecated| deprecated == entry.deprecated)
            && !without.contains(&entry.ordinal)
            && categories.is_none_or(|categories| categories == (entry.depth == 0))
            && depth.is_none_or(|most| entry.depth <= most)
    }
}

/// A hit: ordinal, name, match.
pub(crate) type Found = (u32, String, Match);

/// A query with its words: the longest must be met, the next ones rank.
struct Query {
    written: String,
    begin: Begin,
    text: Spelled,
    words: Vec<Wanted>,
    others: Vec<String>,
    language: Language,
}

/// What a name begins with that begins with a query: without a word for *and* behind which the next word is not typed yet.
struct Begin {
    folded: String,
    surface: String,
    has_sign: bool,
}

struct Wanted {
    word: Word,
    is_joined: bool,
    joined: Vec<Word>,
    splits: Vec<(String, String)>,
}

/// What may meet a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Beginnings,
    Inside,
    Typos,
    /// Typos in words of four letters too.
    MoreTypos,
}

/// How a word of a query is met by a name.
struct Met {
    edits: usize,
    is_exact: bool,
    /// A word of the name is the word, and not only begins with it.
    is_word: bool,
}

/// The order of matches: class, typos, lacking words, other words in the name, kind, marks.
type Order = (Match, usize, usize, bool, Kind, bool);

impl Query {
    fn new(symbols: &[Symbol], language: Language) -> Self {
        let text = Spelled::new(symbols, language);
        let mut words: Vec<Wanted> = Vec::new();
        let content = &text.reading.content;
        let unfinished = content.last().filter(|at| {
            let word = &text.reading.words[**at];
            content.len() > 1
                && word.letters.len() > 1
                && word.joint.is_none()
                && language.is_and(&word.folded)
        });
        let required = &content[..content.len() - usize::from(unfinished.is_some())];
        for at in required {
            let wanted = Wanted::new(&text.reading, *at);
            let is_same = |other: &Wanted| {
                (&other.word.folded, &other.word.surface) == (&wanted.word.folded, &wanted.word.surface)
            };
            if !words.iter().any(is_same) {
                words.push(wanted);
            }
        }
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|at| usize::MAX - words[*at].word.letters.len());
        let others = order.iter().skip(WORDS).map(|at| words[*at].word.folded.clone());
        let unfinished = unfinished.map(|at| text.reading.words[*at].folded.clone());
        let others = others.take(WORDS).chain(unfinished).take(WORDS).collect();
        let begin = required.iter().map(|at| &text.reading.words[*at]);
        let has_sign = begin.clone().next_back().is_some_and(|word| word.has_sign);
        let (folded, surface) = texts(begin, " ");
        let begin = Begin {
            folded,
            surface,
            has_sign,
        };
        let required: BTreeSet<usize> = order.into_iter().take(WORDS).collect();
        let words = (0..).zip(words).filter(|(at, _)| required.contains(at));
        let mut words: Vec<Wanted> = words.map(|(_, word)| word).collect();
        let mut left = SPLITS;
        for wanted in &mut words {
            wanted.splits = wanted.word.splits();
            wanted.splits.truncate(left);
            left -= wanted.splits.len();
        }
        Self {
            written: written(symbols),
            begin,
            text,
            words,
            others,
            language,
        }
    }
}

impl Wanted {
    fn new(reading: &Reading, at: usize) -> Self {
        let words = &reading.words;
        let is_content = |at: usize| reading.content.contains(&at);
        let mut joined = Vec::new();
        if at > 0 && is_content(at - 1) {
            joined.push(Word::joined(&words[at - 1..=at]));
        }
        if is_content(at + 1) {
            joined.push(Word::joined(&words[at..=at + 1]));
        }
        let (mut first, mut last) = (at, at);
        while words[first].joint.is_some() {
            first -= 1;
        }
        while words.get(last + 1).is_some_and(|next| next.joint.is_some()) {
            last += 1;
        }
        let is_joined = first < last;
        if is_joined {
            joined.push(Word::joined(&words[first..=last]));
        }
        Self {
            word: words[at].clone(),
            is_joined,
            joined,
            splits: Vec::new(),
        }
    }
}

impl Name {
    pub(crate) fn new(entry: OwnEntry, symbols: &[Symbol], language: Language) -> Self {
        let text = Spelled::new(symbols, language);
        let starts = text.reading.starts();
        Self { entry, text, starts }
    }

    fn matches(&self, query: &Query, stage: Stage) -> Option<Order> {
        let kind = self.entry.kind;
        if stage == Stage::Beginnings {
            if self.text.reading.literal == query.text.reading.literal {
                let is_other = self.entry.name.trim() != query.written.trim();
                return Some((Match::Whole, usize::from(is_other), 0, true, kind, false));
            }
            if self.text.letters == query.text.letters {
                return Some((Match::Folded, 0, 0, true, kind, false));
            }
            if let Some(is_exact) = self.starts_with(query) {
                return Some((Match::Start, 0, 0, true, kind, !is_exact));
            }
        }
        let met = query.words.iter().map(|word| self.meets(query, word, stage));
        let met: Vec<Met> = met.collect::<Option<_>>()?;
        let edits = met.iter().map(|met| met.edits).sum();
        let count = self.text.reading.content.len();
        let may_be_complete = query.others.is_empty() && count < WORDS && query.words.len() == count;
        let is_complete = may_be_complete && met.iter().all(|met| met.is_word);
        let lacks = query.others.iter().filter(|other| !self.begins(other)).count();
        let class = match stage {
            Stage::Beginnings => Match::Word,
            Stage::Inside => Match::Inside,
            Stage::Typos | Stage::MoreTypos => Match::Typo,
        };
        let differs = class != Match::Typo && !met.iter().all(|met| met.is_exact);
        Some((class, edits, lacks, !is_complete, kind, differs))
    }

    /// Returns whether the name begins with a query, and whether the marks agree.
    fn starts_with(&self, query: &Query) -> Option<bool> {
        if self.entry.kind == Kind::Notation {
            return self.text.code.starts_with(&query.text.code).then_some(true);
        }
        let begin = &query.begin;
        let surface = self.text.surface.starts_with(&begin.surface);
        let rest = self.text.folded.strip_prefix(begin.folded.as_str());
        let begins = rest.is_some_and(|rest| !begin.has_sign || rest.starts_with(' '));
        let has_marks = begin.surface != begin.folded;
        (begins || has_marks && surface).then_some(surface)
    }

    fn begins(&self, folded: &str) -> bool {
        self.starts.iter().any(|start| start.folded.starts_with(folded))
    }

    fn agrees(&self, word: &Word) -> bool {
        let mut starts = self.starts.iter();
        starts.any(|start| start.surface.starts_with(&word.surface))
    }

    fn meets(&self, query: &Query, wanted: &Wanted, stage: Stage) -> Option<Met> {
        let word = &wanted.word;
        let is_form = |other: &Word| !word.has_sign && query.language.is_form(&other.folded, &word.folded);
        let itself = match word.has_sign {
            true => self.starts.iter().any(|start| start.folded == word.folded) || self.agrees(word),
            false => self.begins(&word.folded),
        };
        let joined = wanted.joined.iter().any(|joined| self.begins(&joined.folded));
        let is_met = itself || joined || self.starts.iter().any(is_form);
        let may_differ = matches!(stage, Stage::Typos | Stage::MoreTypos) && !word.has_sign;
        let near = |text: &Word| if may_differ { near(word, text, stage) } else { None };
        let edits = match is_met || stage == Stage::Inside && self.contains(query, wanted) {
            true => 0,
            false => self.starts.iter().filter_map(near).min()?.0,
        };
        let is_word = |own: &Word| {
            // A name that is the only word of a query has its letters.
            let is_equal = query.words.len() > 1 && own.folded == word.folded;
            is_equal || is_form(own) || near(own).is_some_and(|(_, is_longer)| !is_longer)
        };
        Some(Met {
            edits,
            is_exact: match wanted.is_joined {
                true => wanted.joined.iter().any(|joined| self.agrees(joined)),
                false => self.agrees(word),
            },
            is_word: self.text.reading.words.iter().any(is_word),
        })
    }

    /// Returns whether a word is inside a word of the name, or two words of it.
    fn contains(&self, query: &Query, wanted: &Wanted) -> bool {
        let word = &wanted.word;
        let has_part = |start: &Word| {
            let rest: String = start.letters.iter().skip(2).collect();
            rest.contains(&word.folded)
        };
        let is_part = query.language == Language::Estonian && !word.has_sign && word.letters.len() >= 4;
        let is_split = |(first, second): &(String, String)| {
            self.starts.iter().any(|start| start.folded == *first) && self.begins(second)
        };
        is_part && self.starts.iter().any(has_part) || wanted.splits.iter().any(is_split)
    }
}

/// Returns the edits from a word to the nearest beginning of a text, where they are forgiven, and whether the text is longer than that.
fn near(word: &Word, text: &Word, stage: Stage) -> Option<(usize, bool)> {
    let is_unspaced = word.symbols.iter().any(|symbol| symbol.2 == Sort::Unspaced);
    let (word, text) = (&word.letters, &text.letters);
    if word[0] != text[0] || word.iter().any(|letter| letter.is_numeric()) {
        return None;
    }
    let forgiven = |beginning: usize| match word.len().max(beginning) {
        3 | 4 if is_unspaced => 1,
        4 if stage == Stage::MoreTypos => 1,
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let distances = distances(&word[1..], &text[1..]);
    let edits = |length: usize| Some(distances[length - 1]).filter(|edits| *edits <= forgiven(length));
    let nearest = (1..=text.len()).filter_map(edits).min()?;
    Some((nearest, edits(text.len()) != Some(nearest)))
}

/// The distances of optimal string alignment from a text to each beginning of another.
fn distances(a: &[char], b: &[char]) -> Vec<usize> {
    let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                cells[i][j] = i + j;
                continue;
            }
            let replaced = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(cells[i - 1][j] + 1).min(cells[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(cells[i - 2][j - 2] + 1);
            }
            cells[i][j] = least;
        }
    }
    cells.swap_remove(a.len())
}

/// The order of names that a query meets alike.
fn rank(entry: &OwnEntry) -> (bool, u8, usize, &str, u32, &str) {
    let length = entry.name.chars().count();
    let OwnEntry {
        deprecated,
        depth,
        ordinal,
        ..
    } = *entry;
    (deprecated, depth, length, &entry.sort_key, ordinal, &entry.name)
}

/// Returns the best names, one a node, and the number of all nodes.
pub(crate) fn answer(
    names: &[Name],
    query: &[Symbol],
    language: Language,
    limit: usize,
    filter: &Filter,
) -> (Vec<Found>, usize) {
    let query = Query::new(query, language);
    if query.words.is_empty() {
        return (Vec::new(), 0);
    }
    let of_stage = |stage| {
        let names = names.iter().filter(|name| filter.admits(&name.entry));
        let found = names.filter_map(|name| Some((name.matches(&query, stage)?, name)));
        found.collect::<Vec<_>>()
    };
    let nodes = |found: &[(Order, &Name)]| {
        let nodes: BTreeSet<u32> = found.iter().map(|(_, name)| name.entry.ordinal).collect();
        nodes.len()
    };
    let mut found = of_stage(Stage::Beginnings);
    let is_typed = found.iter().any(|((class, ..), _)| *class <= Match::Start);
    for (stage, most) in [(Stage::Inside, FEW), (Stage::Typos, FEW), (Stage::MoreTypos, 1)] {
        if nodes(&found) < most && (stage == Stage::Inside || !is_typed) {
            found.extend(of_stage(stage));
        }
    }
    found.sort_by(|(one_order, one), (other_order, other)| {
        let ranks = || rank(&one.entry).cmp(&rank(&other.entry));
        one_order.cmp(other_order).then_with(ranks)
    });
    let mut best: Vec<Found> = Vec::new();
    for ((class, ..), name) in &found {
        if best.len() < limit && best.iter().all(|other| other.0 != name.entry.ordinal) {
            best.push((name.entry.ordinal, name.entry.name.clone(), *class));
        }
    }
    (best, nodes(&found))
}
