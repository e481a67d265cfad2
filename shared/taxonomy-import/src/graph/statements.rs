//! The statements about each concept, in the order in which they came.

use taxonomy_keys::Culture;

use super::rows::{RowValue, StatementKind, StatementRow, pair, parts};
use super::{Graph, NO_CULTURE, NONE, Stop};
use crate::concept::{ConceptRef, NodeKind, SourcePlace, Statement};

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
        match statement {
            Statement::Concept => {
                self.declare(subject, place);
                Ok(())
            }
            Statement::Implied => self.add(subject, Kind::Implied, NO_CULTURE, ""),
            Statement::Scheme => self.add(subject, Kind::Scheme, NO_CULTURE, ""),
            Statement::Own(kind) => self.add(subject, Kind::Own(kind), NO_CULTURE, ""),
            Statement::Number(number) => self.add(subject, Kind::Number, NO_CULTURE, &number.to_string()),
            Statement::Name(tag, text) => self.add_text(subject, Kind::Name, tag, text, place),
            Statement::ExactName(tag, text) => {
                self.add_text(subject, Kind::ExactName, Some(tag), text, place)
            }
            Statement::Path(tag, text) => self.add_text(subject, Kind::Path, Some(tag), text, place),
            Statement::AltName(tag, text) => self.add_text(subject, Kind::AltName, tag, text, place),
            Statement::Definition(tag, text) => self.add_text(subject, Kind::Definition, tag, text, place),
            Statement::ScopeNote(tag, text) => self.add_text(subject, Kind::ScopeNote, tag, text, place),
            Statement::Notation(text) => self.add(subject, Kind::Notation, NO_CULTURE, text),
            Statement::SortKey(text) => self.add(subject, Kind::SortKey, NO_CULTURE, text),
            Statement::Property(name, tag, text) => {
                self.add_text(subject, Kind::Property, tag, &pair(name, text), place)
            }
            Statement::Deprecated => self.add(subject, Kind::Deprecated, NO_CULTURE, ""),
            Statement::DeprecationReason(text) => {
                self.add(subject, Kind::DeprecationReason, NO_CULTURE, text)
            }
            Statement::DeprecatedSince(text) => self.add(subject, Kind::DeprecatedSince, NO_CULTURE, text),
            Statement::Broader(other) => self.link(subject, Kind::Broader, other),
            Statement::Narrower(other) => self.link(other, Kind::NarrowerOf, subject),
            Statement::Parent(other) => self.link(subject, Kind::Parent, other),
            Statement::InScheme(other) => self.link(subject, Kind::InScheme, other),
            Statement::Related(other) => {
                self.link(subject, Kind::Related, other)?;
                self.link(other, Kind::RelatedOf, subject)
            }
            Statement::ReplacedBy(other) => {
                self.link(subject, Kind::ReplacedBy, other)?;
                self.link(other, Kind::Replaces, subject)
            }
            Statement::Mapping(kind, scheme, id) => self.add(
                subject,
                Kind::Mapping(kind),
                NO_CULTURE,
                &pair(scheme.unwrap_or_default(), id),
            ),
            Statement::Exact(field, json) => self.add(subject, Kind::Exact(field), NO_CULTURE, json),
        }
    }

    /// Names a concept in the default culture.
    pub(crate) fn name(&mut self, concept: ConceptRef, name: &str) -> Result<(), Stop> {
        let culture = self.default_culture.clone();
        let name = Statement::Name(Some(culture.as_str()), name);
        self.state(concept, name, SourcePlace::UNKNOWN)
    }

    /// The first place counts; a later file may describe the concept again.
    fn declare(&mut self, subject: ConceptRef, place: SourcePlace) {
        let file = self.file();
        let concept = self.concepts.get_mut(subject.at());
        if concept.file == NONE {
            (concept.place, concept.file) = (place, file);
        }
        concept.last_file = file;
    }

    fn add_text(
        &mut self,
        subject: ConceptRef,
        kind: StatementKind,
        tag: Option<&str>,
        text: &str,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        let culture = match tag {
            Some(tag) => match self.tag(tag, subject, place) {
                Some(culture) => culture,
                None => return Ok(()),
            },
            None => NO_CULTURE,
        };
        self.add(subject, kind, culture, text)
    }

    fn add(
        &mut self,
        subject: ConceptRef,
        kind: StatementKind,
        culture: u16,
        text: &str,
    ) -> Result<(), Stop> {
        match self.texts.push(text) {
            Some(span) => self.push(subject, kind, culture, RowValue::Text(span)),
            None => Err(self.too_large("texts")),
        }
    }

    fn link(&mut self, subject: ConceptRef, kind: StatementKind, other: ConceptRef) -> Result<(), Stop> {
        self.push(subject, kind, NO_CULTURE, RowValue::Concept(other.0))
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
