//! The culture of texts without a language, in which everything gets a name.

use taxonomy_keys::Culture;

use super::{DEFAULT_CULTURE, Graph, NO_CULTURE, StatementKind, Stop};
use crate::concept::SourcePlace;
use crate::options::ChosenBy;
use crate::report::Code;

impl Graph {
    /// Names the default culture that the source itself has. Of several the smallest counts, since statements of RDF have no order.
    pub fn set_default_culture(&mut self, culture: &Culture) {
        if self.stated_culture.as_ref().is_none_or(|known| culture < known) {
            self.stated_culture = Some(culture.clone());
        }
    }

    /// Returns true if the source says that the default culture is the language of its texts, so that they need none of their own.
    pub(crate) fn names_its_language(&self) -> bool {
        self.language.as_ref() == Some(self.default_culture())
    }

    /// The culture of texts without a language, and the one in which every node is named.
    pub fn default_culture(&self) -> &Culture {
        &self.cultures[usize::from(DEFAULT_CULTURE)]
    }

    /// Chooses the default culture when all statements are there: that of an option, of the source, of the last release; the language of
    /// the source; else the one of most names, unless as many have no language.
    pub(crate) fn choose_default_culture(&mut self, last: Option<&Culture>) -> ChosenBy {
        let by = |by: ChosenBy| move |culture: Culture| (culture, by);
        let option = self.options.default_culture.clone().map(by(ChosenBy::Option));
        let stated = || self.stated_culture.clone().map(by(ChosenBy::Source));
        let last = || last.cloned().map(by(ChosenBy::IdMap));
        let language = || self.language.clone().map(by(ChosenBy::Source));
        let most = || self.culture_of_most_names().map(by(ChosenBy::Source));
        let chosen = option
            .or_else(stated)
            .or_else(last)
            .or_else(language)
            .or_else(most);
        let usual = || (self.options.usual_culture.clone(), ChosenBy::Default);
        let (culture, by) = chosen.unwrap_or_else(usual);
        self.cultures[usize::from(DEFAULT_CULTURE)] = culture;
        by
    }

    /// The culture of most names of concepts: of several the usual one, else the first, in RDF the smallest.
    fn culture_of_most_names(&self) -> Option<Culture> {
        let mut counts = vec![0_u64; self.cultures.len()];
        let mut untagged = 0;
        for concept in self.declared() {
            for row in self.rows_of(concept, StatementKind::Name) {
                match row.culture {
                    NO_CULTURE | DEFAULT_CULTURE => untagged += 1,
                    number => counts[usize::from(number)] += 1,
                }
            }
        }
        let usual = self.default_culture();
        let cultures = self.cultures.iter().zip(counts).enumerate();
        let best = cultures.max_by(|(at, one), (other_at, other)| {
            let by_order = match self.is_unordered {
                true => other.0.cmp(one.0),
                false => other_at.cmp(at),
            };
            let is_usual = |culture: &Culture| culture == usual;
            let by_count = one.1.cmp(&other.1);
            by_count
                .then(is_usual(one.0).cmp(&is_usual(other.0)))
                .then(by_order)
        });
        let (_, (culture, count)) = best?;
        (count > untagged).then(|| culture.clone())
    }

    /// The tag of the texts of a file that names no language in them; none where nothing names it, so that it is the default culture.
    /// That is reported once a file.
    pub(crate) fn file_tag(&mut self) -> Option<String> {
        if self.file_culture.is_none() {
            self.untagged = DEFAULT_CULTURE;
            let message = "the file names no culture; its texts count in the default one";
            self.issue(Code::FileCulture, SourcePlace::UNKNOWN, None, message);
        }
        self.file_culture.as_ref().map(Culture::to_string)
    }

    /// Takes the current file as the only one of its culture.
    ///
    /// # Errors
    /// [`Stop::Refused`] if there is one.
    pub(crate) fn claim_culture(&mut self) -> Result<(), Stop> {
        let file = self.files.last().cloned().unwrap_or_default();
        let Some(other) = self.file_of_culture.insert(self.file_culture.clone(), file) else {
            return Ok(());
        };
        let message = match &self.file_culture {
            Some(culture) => format!("{other} is in {culture} as well"),
            None => format!("{other} names no culture either"),
        };
        Err(self.refuse(Code::SameCulture, SourcePlace::at(1, 1), message))
    }
}
