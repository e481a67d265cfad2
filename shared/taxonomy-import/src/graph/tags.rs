//! Language tags of a source, each looked at once.

use taxonomy_keys::Culture;

use super::{Graph, NO_CULTURE};
use crate::concept::{ConceptRef, SourcePlace};
use crate::report::Code;

/// Cultures of a file (docs/decisions/0003-input-file.md).
const MOST_CULTURES: usize = 500;
/// Tags that are remembered; a source that writes its languages wrong has few spellings of them.
const MOST_TAGS: usize = 10_000;

impl Graph {
    /// The number of a tag's culture; none where it is no language tag.
    pub(super) fn tag(&mut self, tag: &str, subject: ConceptRef, place: SourcePlace) -> Option<u16> {
        if let Some(known) = self.tags.get(tag) {
            let known = *known;
            if known.is_none() && tag.replace('_', "-").parse::<Culture>().is_err() {
                self.invalid_tag(tag, subject, place);
            }
            return known;
        }
        let written = tag.replace('_', "-");
        let culture = written.parse::<Culture>().ok();
        let number = culture.as_ref().and_then(|culture| {
            // The first may become another one.
            let mut known = self.cultures.iter().enumerate().skip(1);
            let known = known.find_map(|(number, other)| (other == culture).then_some(number));
            if known.is_none() && self.cultures.len() > MOST_CULTURES {
                return None;
            }
            let number = known.unwrap_or_else(|| {
                self.cultures.push(culture.clone());
                self.cultures.len() - 1
            });
            u16::try_from(number).ok().filter(|number| *number != NO_CULTURE)
        });
        if self.tags.len() < MOST_TAGS {
            self.tags.insert(tag.into(), number);
        }
        // The parsers of RDF write tags in small letters, as case means nothing in it.
        let is_same = |culture: &&Culture| self.is_unordered && culture.as_str().eq_ignore_ascii_case(tag);
        let tag = culture.as_ref().filter(is_same).map_or(tag, Culture::as_str);
        match (&culture, number) {
            (Some(culture), Some(_)) if culture.as_str() != tag => {
                let message = format_args!("the tag {tag:?} is written {culture}");
                self.issue(Code::TagChanged, place, None, message);
            }
            (Some(_), None) => {
                let message = format_args!("{tag} is one culture more than {MOST_CULTURES}");
                self.issue(Code::TooManyCultures, place, Some(subject), message);
            }
            (None, _) => self.invalid_tag(tag, subject, place),
            _ => {}
        }
        number
    }

    fn invalid_tag(&mut self, tag: &str, subject: ConceptRef, place: SourcePlace) {
        let message = format_args!("{tag:?} is not a language tag");
        self.issue(Code::InvalidTag, place, Some(subject), message);
    }
}
