//! The columns of ESCO's files.

use csv::StringRecord;

use crate::concept::{LinkStatement, SourcePlace, Statement};
use crate::graph::Graph;
use crate::report::Code;
use crate::sources::rows::trimmed;

macro_rules! columns {
    ($($column:ident $header:literal,)+) => {
        /// A column that is read, or known and passed over.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Column { $($column,)+ }

        impl Column {
            const ALL: &[Self] = &[$(Self::$column,)+];

            /// Its header.
            pub(super) const fn header(self) -> &'static str {
                match self { $(Self::$column => $header,)+ }
            }
        }
    };
}

columns! {
    ConceptUri "conceptUri",
    PreferredLabel "preferredLabel",
    AltLabels "altLabels",
    HiddenLabels "hiddenLabels",
    Definition "definition",
    Description "description",
    ScopeNote "scopeNote",
    Code "code",
    Status "status",
    InScheme "inScheme",
    ReplacedBy "replacedBy",
    SkillType "skillType",
    ReuseLevel "reuseLevel",
    NaceCode "naceCode",
    RegulatedProfessionNote "regulatedProfessionNote",
    BroaderUri "broaderUri",
    BroaderConceptUri "broaderConceptUri",
    OccupationUri "occupationUri",
    SkillUri "skillUri",
    OriginalSkillUri "originalSkillUri",
    RelatedSkillUri "relatedSkillUri",
    SchemeUri "conceptSchemeUri",
    Title "title",
    HasTopConcept "hasTopConcept",
    Level0 "Level 0 URI",
    Level1 "Level 1 URI",
    Level2 "Level 2 URI",
    Level3 "Level 3 URI",
    FileName "filename",
    DataHeader "dataheader",
    // What they say is said by others: kinds by the hierarchy, the ISCO group by the broader concepts, labels by the concepts.
    ConceptType "conceptType",
    IscoGroup "iscoGroup",
    ModifiedDate "modifiedDate",
    BroaderType "broaderType",
    ConceptLabel "conceptLabel",
    BroaderLabel "broaderLabel",
    BroaderConceptPt "broaderConceptPT",
    RelationType "relationType",
    OccupationLabel "occupationLabel",
    SkillLabel "skillLabel",
    OriginalSkillType "originalSkillType",
    RelatedSkillType "relatedSkillType",
    Level0Term "Level 0 preferred term",
    Level1Term "Level 1 preferred term",
    Level2Term "Level 2 preferred term",
    Level3Term "Level 3 preferred term",
    Level0Code "Level 0 code",
    Level1Code "Level 1 code",
    Level2Code "Level 2 code",
    Level3Code "Level 3 code",
    HierarchyScopeNote "Scope note",
}

impl Column {
    /// The levels of the skills hierarchy, from the top.
    pub(super) const LEVELS: [Self; 4] = [Self::Level0, Self::Level1, Self::Level2, Self::Level3];
}

/// A file, by the meaning of its rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum EscoFile {
    /// Occupations, skills, their groups, collections of them.
    Concepts,
    Schemes,
    /// Relations of two concepts: their columns, and the statement about the first one.
    Links(Column, Column, LinkStatement),
    /// `skillsHierarchy`.
    Hierarchy,
    /// The columns of all files, described.
    Dictionary,
}

/// `broaderRelationsOccPillar` and `broaderRelationsSkillPillar`, `occupationSkillRelations`, `skillSkillRelations`.
const LINKS: [(Column, Column, LinkStatement); 3] = [
    (Column::ConceptUri, Column::BroaderUri, Statement::Broader),
    (Column::OccupationUri, Column::SkillUri, Statement::Related),
    (
        Column::OriginalSkillUri,
        Column::RelatedSkillUri,
        Statement::Related,
    ),
];

/// The positions of the columns of a file.
#[derive(Debug)]
pub(super) struct EscoColumns(Vec<(Column, usize)>);

impl EscoColumns {
    /// Reads a header. Reports duplicate columns, and columns that no version had, unless the file is of another form.
    pub(super) fn new(header: &StringRecord, place: SourcePlace, graph: &mut Graph) -> Self {
        let mut columns = Self(Vec::new());
        let mut unknown = Vec::new();
        for (position, cell) in header.iter().enumerate() {
            let found = Column::ALL
                .iter()
                .find(|column| column.header().eq_ignore_ascii_case(trimmed(cell)));
            match found {
                Some(column) if columns.position(*column).is_some() => {
                    let message = format_args!("two columns are called {cell:?}");
                    graph.issue(Code::DuplicateColumn, place, None, message);
                }
                Some(column) => columns.0.push((*column, position)),
                None => unknown.push(cell),
            }
        }
        if !matches!(columns.file(), None | Some(EscoFile::Dictionary)) {
            for cell in unknown {
                let message = format_args!("no column of ESCO is called {cell:?}");
                graph.issue(Code::UnknownColumn, place, None, message);
            }
        }
        columns
    }

    pub(super) fn position(&self, column: Column) -> Option<usize> {
        let found = self.0.iter().find(|(other, _)| *other == column);
        found.map(|(_, position)| *position)
    }

    /// The file that has these columns.
    pub(super) fn file(&self) -> Option<EscoFile> {
        let has = |column| self.position(column).is_some();
        let has_both = |one, other| has(one) && has(other);
        let links = LINKS
            .into_iter()
            .find(|(subject, object, _)| has_both(*subject, *object));
        match links {
            _ if has(Column::SchemeUri) => Some(EscoFile::Schemes),
            Some((subject, object, statement)) => Some(EscoFile::Links(subject, object, statement)),
            None if has_both(Column::Level0, Column::Level1) => Some(EscoFile::Hierarchy),
            None if has_both(Column::ConceptUri, Column::PreferredLabel) => Some(EscoFile::Concepts),
            None if has_both(Column::FileName, Column::DataHeader) => Some(EscoFile::Dictionary),
            None => None,
        }
    }
}
