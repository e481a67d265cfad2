//! The classes that are tried where few names match: words inside words, and typos.

use crate::ordinal_set::OrdinalSet;
use crate::search::damage::SearchError;
use crate::search::query::Match;
use crate::search::query::evaluate::{FEW, Form, MAX_OTHER_BYTES, Search};
use crate::search::query::inside::{self, Compounds, MAX_SPLITS};
use crate::search::query::matching::{Candidate, Lists, WordLists, Words, matching, pages};
use crate::search::query::plan::Wanted;
use crate::search::query::sought::Sought;
use crate::search::query::typo::{self, Allowance, MAX_BLOCKS, Near};

/// What is looked for beside the beginnings of a word.
struct Forgiven {
    near: Option<Near>,
    compounds: Option<Compounds>,
    splits: Vec<[Sought; 2]>,
}

impl Search<'_> {
    /// Adds names with words inside others and with typos, but for those that are known to have every word.
    pub(crate) fn forgive(
        &mut self,
        own: &Words<'_>,
        known: OrdinalSet,
        others: &[WordLists],
    ) -> Result<(), SearchError> {
        // Who typed a name, or the beginning of one, made no typo.
        let best = self.choice.names.first();
        let may_differ = best.is_none_or(|best| best.class > Match::Start);
        let forgiven = self.forgiven(may_differ)?;
        let share = MAX_OTHER_BYTES / self.plan.words.len() as u64;
        let mut inside = self.compounds(&forgiven, share)?;
        let pairs = self.pairs(&forgiven, share)?;
        let typos = self.typos(&forgiven, Allowance::Usual, share)?;
        // All are read in one round.
        let mut ids = pages(&self.reader, &self.all(&inside, others));
        ids.extend(pages(&self.reader, &self.all(&typos, others)));
        ids.extend(
            pairs
                .iter()
                .flat_map(|(_, pair)| pages(&self.reader, &both(pair))),
        );
        self.reader.require(&ids)?;
        for (word, pair) in &pairs {
            let found = matching(&self.reader, &both(pair))?.into_iter();
            let found = found.map(|name| Candidate {
                is_exact: false,
                ..name
            });
            inside[*word].found.extend(found);
        }
        let known = self.take_more(own, known, &self.all(&inside, others), Match::Inside)?;
        if self.choice.count >= FEW {
            return Ok(());
        }
        let known = self.take_more(own, known, &self.all(&typos, others), Match::Typo)?;
        if self.choice.count == 0 {
            let typos = self.typos(&forgiven, Allowance::Last, share)?;
            self.take_more(own, known, &self.all(&typos, others), Match::Typo)?;
        }
        Ok(())
    }

    /// Adds the names that have every word by its own postings or by more of them. Returns the names that are known.
    fn take_more(
        &mut self,
        own: &Words<'_>,
        known: OrdinalSet,
        more: &Lists<'_>,
        class: Match,
    ) -> Result<OrdinalSet, SearchError> {
        if more.words.iter().all(WordLists::is_empty) {
            return Ok(known);
        }
        if let [_] = more.words {
            self.take(more, class)?;
            return Ok(known);
        }
        self.reader.require(&pages(&self.reader, more))?;
        let words = own.with(Words::read(&self.reader, more.words)?);
        let common = words.common();
        let candidates = words.candidates(&self.reader, common.without(&known), more)?;
        self.choice.take(&candidates, class);
        Ok(known.or(&common))
    }

    fn all<'l>(&self, words: &'l [WordLists], others: &'l [WordLists]) -> Lists<'l> {
        Lists {
            words,
            others,
            count: self.plan.count,
        }
    }

    /// Locates what is looked for.
    fn forgiven(&self, may_differ: bool) -> Result<Vec<Forgiven>, SearchError> {
        let words = &self.plan.words;
        let most = MAX_BLOCKS / words.len();
        let mut left = MAX_SPLITS;
        let mut forgiven = Vec::with_capacity(words.len());
        for Wanted {
            phrase, is_complete, ..
        } in words
        {
            // A sign ends a word: nothing else may be meant.
            let part = Some(phrase).filter(|_| !is_complete);
            let mut splits: Vec<[Sought; 2]> = part.map(inside::sought).unwrap_or_default();
            splits.truncate(left);
            left -= splits.len();
            forgiven.push(Forgiven {
                near: part
                    .filter(|_| may_differ)
                    .and_then(|phrase| typo::blocks(&self.reader, phrase, most)),
                compounds: part.and_then(|phrase| Compounds::new(&self.reader, phrase, most)),
                splits,
            });
        }
        let near = forgiven
            .iter()
            .filter_map(|word| word.near.as_ref())
            .flat_map(|near| &near.ids);
        let compounds = forgiven.iter().filter_map(|word| word.compounds.as_ref());
        let mut ids: Vec<_> = near
            .chain(compounds.flat_map(|compounds| &compounds.ids))
            .copied()
            .collect();
        let splits = forgiven.iter().flat_map(|word| word.splits.iter().flatten());
        let keys = splits.flat_map(|sought| [&sought.start, &sought.end]);
        ids.extend(keys.filter_map(|key| self.reader.id_of(key)));
        self.reader.require(&ids)?;
        for word in &mut forgiven {
            // Few beginnings of a word are words, so that few second halves are looked for.
            word.splits = self.located(std::mem::take(&mut word.splits), 0)?;
            word.splits = self.located(std::mem::take(&mut word.splits), 1)?;
        }
        Ok(forgiven)
    }

    /// Locates one half of splits. Returns those where it has postings.
    fn located(&self, splits: Vec<[Sought; 2]>, half: usize) -> Result<Vec<[Sought; 2]>, SearchError> {
        let halves: Vec<&Sought> = splits.iter().map(|split| &split[half]).collect();
        let spans = self.reader.spans(&halves)?;
        let located = splits.into_iter().zip(spans).map(|(mut split, span)| {
            split[half].span = span;
            split
        });
        Ok(located.filter(|split| split[half].span.length() > 0).collect())
    }

    /// Returns of each word the postings of words that it is inside of.
    fn compounds(&mut self, forgiven: &[Forgiven], share: u64) -> Result<Vec<WordLists>, SearchError> {
        let mut words = vec![WordLists::default(); forgiven.len()];
        for (word, Forgiven { compounds, .. }) in words.iter_mut().zip(forgiven) {
            if let Some(compounds) = compounds {
                let (lists, is_cut) = compounds.lists(&self.reader, share)?;
                self.truncated |= is_cut || compounds.is_cut;
                word.ranges = lists;
            }
        }
        Ok(words)
    }

    /// Returns the postings of the two words that a word may be, each pair with the number of the word.
    fn pairs(
        &mut self,
        forgiven: &[Forgiven],
        share: u64,
    ) -> Result<Vec<(usize, [WordLists; 2])>, SearchError> {
        let mut pairs = Vec::new();
        for (number, Forgiven { splits, .. }) in forgiven.iter().enumerate() {
            for split in splits {
                let mut lists = |sought| self.lists(std::slice::from_ref(sought), Form::Whole, share);
                pairs.push((number, [lists(&split[0])?.into(), lists(&split[1])?.into()]));
            }
        }
        Ok(pairs)
    }

    /// Returns of each word the postings of words that are near.
    fn typos(
        &mut self,
        forgiven: &[Forgiven],
        allowance: Allowance,
        share: u64,
    ) -> Result<Vec<WordLists>, SearchError> {
        let mut words = vec![WordLists::default(); forgiven.len()];
        for (number, (word, Forgiven { near, .. })) in words.iter_mut().zip(forgiven).enumerate() {
            if let Some(near) = near {
                let phrase = &self.plan.words[number].phrase;
                let (lists, is_cut) = typo::lists(&self.reader, phrase, near, allowance, share)?;
                self.truncated |= is_cut || near.is_cut;
                word.ranges = lists;
            }
        }
        Ok(words)
    }
}

fn both(pair: &[WordLists; 2]) -> Lists<'_> {
    Lists {
        words: pair,
        others: &[],
        count: None,
    }
}
