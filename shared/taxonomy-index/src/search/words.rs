//! The words of a text in a language: which count, which are joined, and the letters of all of them.

use std::ops::Range;

use crate::search::alphabet::is_unspaced;
use crate::search::fold::Text;
use crate::search::language::Language;

/// The minimum number of letters on each side of a sign for *and* inside a word.
const MIN_SEGMENT: usize = 2;
/// The maximum number of letters of a side of a slash that joins, as in `A/B` and `TCP/IP`.
const MAX_SLASHED: usize = 3;
/// The maximum number of letters before an apostrophe that does not join, as in `l'import`.
const MAX_ELIDED: usize = 2;

impl Text {
    /// Returns the numbers of the words that count: all but the words for *and* between two others.
    pub(crate) fn content(&self, language: Language) -> Vec<usize> {
        let last = self.runs.len().saturating_sub(1);
        let is_and = |run: usize| {
            let is_between =
                run > 0 && run < last && self.joints[run].is_none() && self.joints[run + 1].is_none();
            is_between && language.is_and(&self.folded(self.runs[run].clone()))
        };
        (0..self.runs.len()).filter(|run| !is_and(*run)).collect()
    }

    /// Returns the parts of a word of a script without spaces between signs for *and*; of another script the word.
    pub(crate) fn segments(&self, run: Range<usize>, language: Language) -> Vec<Range<usize>> {
        let (mut segments, mut start) = (Vec::new(), run.start);
        let signs = language.and_signs();
        let mut at = start + MIN_SEGMENT;
        while !signs.is_empty() && at + MIN_SEGMENT < run.end {
            let sign = signs.iter().map(|sign| (sign, sign.chars().count()));
            let sign = sign.filter(|(_, length)| at + length + MIN_SEGMENT <= run.end);
            let found = sign
                .into_iter()
                .find(|(sign, length)| self.is_written(at..at + length, sign));
            match found {
                Some((_, length)) => {
                    segments.push(start..at);
                    start = at + length;
                    at = start + MIN_SEGMENT;
                }
                None => at += 1,
            }
        }
        segments.push(start..run.end);
        segments
    }

    /// Returns whether letters are a sign in just its form: in katakana と is a part of a word.
    fn is_written(&self, letters: Range<usize>, sign: &str) -> bool {
        let mut own = self.letters[letters.clone()].iter();
        own.all(|letter| !letter.is_other_form) && self.folded(letters) == sign
    }

    /// Returns the folded letters of all words that count, with nothing between them: equal for two texts that differ in case, marks, signs,
    /// spaces and words for *and* alone.
    pub(crate) fn all_letters(&self, language: Language) -> String {
        let content = self.content(language).into_iter();
        let segments = content.flat_map(|run| self.segments(self.runs[run].clone(), language));
        segments
            .map(|segment| self.folded(segment).into_owned())
            .collect()
    }

    /// Returns each word that others are joined to, with these.
    pub(crate) fn joined(&self) -> impl Iterator<Item = Range<usize>> {
        let mut joined = Vec::new();
        for run in 0..self.runs.len() {
            let last = (run + 1..self.runs.len())
                .take_while(|next| self.is_joined(*next))
                .last();
            joined.extend(last.map(|last| self.runs[run].start..self.runs[last].end));
        }
        joined.into_iter()
    }

    /// Returns whether a word may be written as one with the word before.
    fn is_joined(&self, run: usize) -> bool {
        let (before, word) = (self.runs[run - 1].clone(), self.runs[run].clone());
        let joins = match self.joints[run] {
            None => false,
            Some('/') => before.len().min(word.len()) <= MAX_SLASHED,
            Some('\'') => before.len() > MAX_ELIDED,
            Some(_) => true,
        };
        let sides = [
            self.letters[before.end - 1].folded,
            self.letters[word.start].folded,
        ];
        joins && !sides.iter().all(|side| side.is_numeric()) && !sides.iter().any(|side| is_unspaced(*side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_by_some_signs() {
        let check = |text: &str, joined: &[&str]| {
            let text = Text::fold(text);
            let found = text.joined().map(|range| text.folded(range).into_owned());
            assert_eq!(found.collect::<Vec<_>>(), joined);
        };
        check("Node.js developer", &["nodejs"]);
        check("state-of-the-art", &["stateoftheart", "oftheart", "theart"]);
        check("A/B and/or director/directora", &["ab", "andor"]);
        check("women's l'import", &["womens"]);
        check("1-2 E11.9 カード・ケース", &[]);
        check("wi fi, wi - fi", &[]);
        check("AND’👩\u{200d}👧/😀 a😀", &["and👩👧😀", "👩👧😀"]);
    }
}
