//! The statements about each concept, in the order in which they came.

use taxonomy_keys::Culture;

use super::rows::{RowValue, StatementKind, StatementRow, pair, parts};
use super::{DEFAULT_CULTURE, Graph, LINK, MOST_STATED, NO_CULTURE, NONE, Stop, TEXT};
use crate::concept::{ConceptRef, NodeKind, SourcePlace, Statement};
use crate::report::Code;

impl Graph {
    /// Adds a statement at `place` of the current file.
    ///
    /// # Errors
    /// [`Stop::Refused`] beyond the bounds.
    pub fn state(
        &mut self,
        subject: ConceptRef,
        statement: Statement<'_>,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        use StatementKind as Kind;
        let (kind, tag, text): (Kind, Option<&str>, &str) = match statement {
            Statement::Concept => {
                self.declare(subject, place);
                return Ok(());
            }
            Statement::Implied => (Kind::Implied, None, ""),
            Statement::Scheme => (Kind::Scheme, None, ""),
            Statement::Own(kind) => (Kind::Own(kind), None, ""),
            Statement::Number(number) => (Kind::Number, None, &number.to_string()),
            Statement::Name(tag, text) => (Kind::Name, tag, text),
            Statement::ExactName(tag, text) => (Kind::ExactName, Some(tag), text),
            Statement::Path(tag, text) => (Kind::Path, Some(tag), text),
            Statement::AltName(tag, text) => (Kind::AltName, tag, text),
            Statement::Definition(tag, text) => (Kind::Definition, tag, text),
            Statement::ScopeNote(tag, text) => (Kind::ScopeNote, tag, text),
            Statement::Notation(text) => (Kind::Notation, None, text),
            Statement::SortKey(text) => (Kind::SortKey, None, text),
            Statement::Property(name, tag, text) => (Kind::Property, tag, &pair(name, text)),
            Statement::Deprecated => (Kind::Deprecated, None, ""),
            Statement::DeprecationReason(text) => (Kind::DeprecationReason, None, text),
            Statement::DeprecatedSince(text) => (Kind::DeprecatedSince, None, text),
            Statement::Broader(other) => return self.link(subject, Kind::Broader, other),
            Statement::Narrower(other) => return self.link(other, Kind::NarrowerOf, subject),
            Statement::Above(other) => return self.link(subject, Kind::Above, other),
            Statement::Below(other) => return self.link(other, Kind::Above, subject),
            Statement::Parent(other) => return self.link(subject, Kind::Parent, other),
            Statement::InScheme(other) => return self.link(subject, Kind::InScheme, other),
            Statement::TopOf(other) => return self.link(subject, Kind::TopOf, other),
            Statement::Related(other) => {
                self.link(subject, Kind::Related, other)?;
                return self.link(other, Kind::RelatedOf, subject);
            }
            Statement::ReplacedBy(other) => {
                self.link(subject, Kind::ReplacedBy, other)?;
                return self.link(other, Kind::Replaces, subject);
            }
            Statement::Mapping(kind, scheme, id) => {
                (Kind::Mapping(kind), None, &pair(scheme.unwrap_or_default(), id))
            }
            Statement::Exact(field, json) => (Kind::Exact(field), None, json),
        };
        let culture = match tag {
            Some(tag) => match self.tag(tag, subject, place) {
                Some(culture) => culture,
                None => return Ok(()),
            },
            None => self.untagged,
        };
        self.weigh(subject, place, TEXT + text.len())?;
        match self.texts.push(text) {
            Some(span) => self.push(subject, kind, culture, RowValue::Text(span)),
            None => Err(self.too_large("texts")),
        }
    }

    /// Names a concept in the default culture.
    pub(crate) fn name(&mut self, concept: ConceptRef, name: &str) -> Result<(), Stop> {
        self.untagged = DEFAULT_CULTURE;
        self.state(concept, Statement::Name(None, name), SourcePlace::UNKNOWN)
    }

    /// The first place counts; a later file may describe the concept again.
    fn declare(&mut self, subject: ConceptRef, place: SourcePlace) {
        self.declare_in(self.file(), subject, place);
    }

    /// Declares a concept at a place of a file, by its number.
    pub(crate) fn declare_in(&mut self, file: u32, subject: ConceptRef, place: SourcePlace) {
        let concept = self.concepts.get_mut(subject.at());
        if concept.file == NONE {
            (concept.place, concept.file) = (place, file);
        }
        concept.last_file = file;
    }

    fn link(&mut self, subject: ConceptRef, kind: StatementKind, other: ConceptRef) -> Result<(), Stop> {
        self.weigh(subject, SourcePlace::UNKNOWN, LINK)?;
        self.push(subject, kind, NO_CULTURE, RowValue::Concept(other.0))
    }

    /// Adds the weight of a statement to that of its concept.
    fn weigh(&mut self, subject: ConceptRef, place: SourcePlace, weight: usize) -> Result<(), Stop> {
        let concept = self.concepts.get_mut(subject.at());
        concept.stated = concept
            .stated
            .saturating_add(u32::try_from(weight).unwrap_or(u32::MAX));
        match concept.stated <= MOST_STATED {
            true => Ok(()),
            false => {
                let message = format!("more is stated of {} than of any concept", self.key(subject));
                Err(self.refuse(Code::TooLarge, place, message))
            }
        }
    }

    fn push(
        &mut self,
        subject: ConceptRef,
        kind: StatementKind,
        culture: u16,
        value: RowValue,
    ) -> Result<(), Stop> {
        let number = match u32::try_from(self.rows.len()) {
            Ok(number) if self.rows.len() < self.bounds.statements => number,
            _ => return Err(self.too_large("statements")),
        };
        self.rows.push(StatementRow {
            next: NONE,
            culture,
            kind,
            value,
        });
        let concept = self.concepts.get_mut(subject.at());
        let last = std::mem::replace(&mut concept.last, number);
        if last == NONE {
            concept.first = number;
        } else {
            self.rows.get_mut(last as usize).next = number;
        }
        Ok(())
    }

    /// The statements of a concept, in the order in which they came.
    pub(crate) fn rows(&self, concept: ConceptRef) -> impl Iterator<Item = StatementRow> {
        let row = |number: u32| (number != NONE).then(|| *self.rows.get(number as usize));
        let first = row(self.concepts.get(concept.at()).first);
        std::iter::successors(first, move |last| row(last.next))
    }

    /// The statements of a kind about a concept.
    pub(crate) fn rows_of(
        &self,
        concept: ConceptRef,
        kind: StatementKind,
    ) -> impl Iterator<Item = StatementRow> {
        self.rows(concept).filter(move |row| row.kind == kind)
    }

    /// The text of a statement; empty for one about another concept.
    pub(crate) fn text(&self, row: StatementRow) -> &str {
        match row.value {
            RowValue::Text(span) => self.texts.get(span),
            RowValue::Concept(_) => "",
        }
    }

    /// The two texts of a statement that has two.
    pub(crate) fn pair(&self, row: StatementRow) -> (&str, &str) {
        parts(self.text(row))
    }

    /// The other concept of a statement.
    pub(crate) fn other(&self, row: StatementRow) -> Option<ConceptRef> {
        match row.value {
            RowValue::Text(_) => None,
            RowValue::Concept(number) => Some(ConceptRef(number)),
        }
    }

    /// The other concepts of the statements of some kinds, in the order in which they came.
    pub(crate) fn others(
        &self,
        concept: ConceptRef,
        kinds: &'static [StatementKind],
    ) -> impl Iterator<Item = ConceptRef> {
        let rows = self.rows(concept).filter(|row| kinds.contains(&row.kind));
        rows.filter_map(|row| self.other(row))
    }

    /// Returns true if there is a statement of a kind.
    pub(crate) fn has(&self, concept: ConceptRef, kind: StatementKind) -> bool {
        self.rows_of(concept, kind).next().is_some()
    }

    /// The kind that the source itself gives a concept: it comes from a download of this service.
    pub(crate) fn own_kind(&self, concept: ConceptRef) -> Option<NodeKind> {
        self.rows(concept).find_map(|row| match row.kind {
            StatementKind::Own(kind) => Some(kind),
            _ => None,
        })
    }

    /// The culture of a statement; none where its text has no language.
    pub(crate) fn culture_of(&self, row: StatementRow) -> Option<&Culture> {
        match row.culture {
            NO_CULTURE => None,
            number => self.cultures.get(usize::from(number)),
        }
    }

    /// Sorts concepts that follow each other as statements do: as they are, or by key where the source has no order.
    pub(crate) fn sort_unordered(&self, concepts: &mut [ConceptRef]) {
        if self.is_unordered {
            concepts.sort_by(|one, other| self.key(*one).cmp(self.key(*other)));
        }
    }
}
