//! The stored shape of every item of the projection: one struct a kind, written and read in one place. Attribute names are
//! the storage format (docs/decisions/0001-table.md).

use std::borrow::Cow;

use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::attribute::{Attributes, Builder, Fields, Malformed, Value};

/// A term in one culture, a complete answer: items `Term` and `TermCulture`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTerm {
    /// The term.
    pub id: TermId,
    /// Its category.
    pub category: CategoryId,
    /// The category's name, in `category_culture` if that is set, else in `culture`.
    pub category_name: String,
    /// Set where the category has no name in `culture`.
    pub category_culture: Option<Culture>,
    /// The culture that the item is for.
    pub culture: Culture,
    /// The term's name.
    pub name: String,
    /// `{category name}:{term name}`.
    pub final_name: String,
    /// The term's path.
    pub path: Option<String>,
    /// 1 for a top term.
    pub depth: u8,
    /// The ancestors, nearest first.
    pub lineage: Vec<LineageEntry>,
    /// Code in a classification.
    pub notation: Option<String>,
    /// Alternative names in `culture`.
    pub alt_names: Vec<String>,
    /// What siblings are sorted by.
    pub sort_key: Option<String>,
    /// Canonical JSON of an object.
    pub metadata: Option<String>,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Ids of what replaces it.
    pub replaced_by: Vec<u64>,
    /// No longer in the taxonomy.
    pub removed: bool,
}

/// An ancestor in a term's lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageEntry {
    /// The ancestor.
    pub id: TermId,
    /// `{category name}:{ancestor's name}`.
    pub final_name: String,
    /// Set where the ancestor's name had to come from another culture than the item's.
    pub culture: Option<Culture>,
}

impl StoredTerm {
    /// The plain name of an ancestor: its FinalName without the category's name, which all of a term's lineage shares.
    #[must_use]
    pub fn ancestor_name<'a>(&self, ancestor: &'a LineageEntry) -> &'a str {
        let prefixed = ancestor.final_name.strip_prefix(self.category_name.as_str());
        prefixed
            .and_then(|rest| rest.strip_prefix(':'))
            .unwrap_or(&ancestor.final_name)
    }

    /// As it is stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        let lineage = self.lineage.iter().map(|ancestor| {
            let entry = Builder::default()
                .number("Id", ancestor.id.get())
                .text("FinalName", &ancestor.final_name)
                .optional("Culture", ancestor.culture.as_ref().map(Culture::as_str));
            Value::Map(entry.build())
        });
        Builder::default()
            .number("TermId", self.id.get())
            .number("CategoryId", self.category.get())
            .text("CategoryName", &self.category_name)
            .optional(
                "CategoryCulture",
                self.category_culture.as_ref().map(Culture::as_str),
            )
            .text("Culture", self.culture.as_str())
            .text("Name", &self.name)
            .text("FinalName", &self.final_name)
            .optional("Path", self.path.as_deref())
            .number("Depth", u64::from(self.depth))
            .list("Lineage", lineage)
            .optional("Notation", self.notation.as_deref())
            .list("AltNames", self.alt_names.iter().map(|name| name.as_str().into()))
            .optional("SortKey", self.sort_key.as_deref())
            .optional("Metadata", self.metadata.as_deref())
            .flag("Deprecated", self.deprecated)
            .list("ReplacedBy", self.replaced_by.iter().copied().map(Value::Number))
            .flag("Removed", self.removed)
            .build()
    }

    /// Reads what [`StoredTerm::attributes`] wrote.
    ///
    /// # Errors
    /// [`Malformed`] names the first attribute that is not as it should be.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let lineage = fields.maps("Lineage")?.into_iter().map(|entry| {
            Ok(LineageEntry {
                id: term_id(entry.number("Id")?, "Lineage")?,
                final_name: entry.text("FinalName")?.to_owned(),
                culture: culture(entry.optional("Culture")?)?,
            })
        });
        Ok(Self {
            id: term_id(fields.number("TermId")?, "TermId")?,
            category: category_id(fields.number("CategoryId")?, "CategoryId")?,
            category_name: fields.text("CategoryName")?.to_owned(),
            category_culture: culture(fields.optional("CategoryCulture")?)?,
            culture: required_culture(fields)?,
            name: fields.text("Name")?.to_owned(),
            final_name: fields.text("FinalName")?.to_owned(),
            path: owned(fields.optional("Path")?),
            depth: u8::try_from(fields.number("Depth")?).map_err(|_| Malformed("Depth".to_owned()))?,
            lineage: lineage.collect::<Result<_, Malformed>>()?,
            notation: owned(fields.optional("Notation")?),
            alt_names: fields.texts("AltNames")?.into_iter().map(str::to_owned).collect(),
            sort_key: owned(fields.optional("SortKey")?),
            metadata: owned(fields.optional("Metadata")?),
            deprecated: fields.flag("Deprecated"),
            replaced_by: fields.numbers("ReplacedBy")?,
            removed: fields.flag("Removed"),
        })
    }
}

/// A category with its names in all cultures: item `Category`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCategory {
    /// The category.
    pub id: CategoryId,
    /// The default culture.
    pub culture: Culture,
    /// The name in it.
    pub name: String,
    /// The path in it.
    pub path: Option<String>,
    /// Names and paths in the other cultures, ascending by culture.
    pub names: Vec<(Culture, String, Option<String>)>,
    /// Code in a classification.
    pub notation: Option<String>,
    /// Alternative names by culture, ascending.
    pub alt_names: Vec<(Culture, Vec<String>)>,
    /// What siblings are sorted by.
    pub sort_key: Option<String>,
    /// Canonical JSON of an object.
    pub metadata: Option<String>,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Ids of what replaces it.
    pub replaced_by: Vec<u64>,
    /// No longer in the taxonomy.
    pub removed: bool,
}

impl StoredCategory {
    /// As it is stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        let key = |culture: &Culture| Cow::Owned(culture.to_string());
        let names = self.names.iter().map(|(culture, name, path)| {
            let entry = Builder::default()
                .text("Name", name)
                .optional("Path", path.as_deref());
            (key(culture), Value::Map(entry.build()))
        });
        let alt_names = self.alt_names.iter().map(|(culture, names)| {
            (
                key(culture),
                Value::List(names.iter().map(|name| name.as_str().into()).collect()),
            )
        });
        Builder::default()
            .number("CategoryId", self.id.get())
            .text("Culture", self.culture.as_str())
            .text("Name", &self.name)
            .optional("Path", self.path.as_deref())
            .map("Names", names.collect())
            .optional("Notation", self.notation.as_deref())
            .map("AltNames", alt_names.collect())
            .optional("SortKey", self.sort_key.as_deref())
            .optional("Metadata", self.metadata.as_deref())
            .flag("Deprecated", self.deprecated)
            .list("ReplacedBy", self.replaced_by.iter().copied().map(Value::Number))
            .flag("Removed", self.removed)
            .build()
    }

    /// Reads what [`StoredCategory::attributes`] wrote. What the index leaves out of a listing reads as absent.
    ///
    /// # Errors
    /// [`Malformed`] names the first attribute that is not as it should be.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let mut names = Vec::new();
        for (tag, entry) in fields.map("Names")?.map(|map| map.0).into_iter().flatten() {
            let Value::Map(entry) = entry else {
                return Err(Malformed("Names".to_owned()));
            };
            let entry = Fields(entry);
            names.push((
                tagged(tag)?,
                entry.text("Name")?.to_owned(),
                owned(entry.optional("Path")?),
            ));
        }
        ascending(&mut names, |(culture, ..)| culture, "Names")?;
        let mut alt_names = Vec::new();
        if let Some(map) = fields.map("AltNames")? {
            for tag in map.0.keys() {
                alt_names.push((
                    tagged(tag)?,
                    map.texts(tag)?.into_iter().map(str::to_owned).collect(),
                ));
            }
        }
        ascending(&mut alt_names, |(culture, _)| culture, "AltNames")?;
        Ok(Self {
            id: category_id(fields.number("CategoryId")?, "CategoryId")?,
            culture: required_culture(fields)?,
            name: fields.text("Name")?.to_owned(),
            path: owned(fields.optional("Path")?),
            names,
            notation: owned(fields.optional("Notation")?),
            alt_names,
            sort_key: owned(fields.optional("SortKey")?),
            metadata: owned(fields.optional("Metadata")?),
            deprecated: fields.flag("Deprecated"),
            replaced_by: fields.numbers("ReplacedBy")?,
            removed: fields.flag("Removed"),
        })
    }
}

/// An ancestor of a term with what the lineage leaves out: item `Ancestor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAncestor {
    /// The ancestor.
    pub id: TermId,
    /// Its name.
    pub name: String,
    /// `{category name}:{name}`.
    pub final_name: String,
    /// Its path.
    pub path: Option<String>,
}

impl StoredAncestor {
    /// As it is stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        Builder::default()
            .number("TermId", self.id.get())
            .text("Name", &self.name)
            .text("FinalName", &self.final_name)
            .optional("Path", self.path.as_deref())
            .build()
    }

    /// Reads what [`StoredAncestor::attributes`] wrote.
    ///
    /// # Errors
    /// [`Malformed`] names the first attribute that is not as it should be.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        Ok(Self {
            id: term_id(fields.number("TermId")?, "TermId")?,
            name: fields.text("Name")?.to_owned(),
            final_name: fields.text("FinalName")?.to_owned(),
            path: owned(fields.optional("Path")?),
        })
    }
}

/// Sorts what is there by culture. A tag in another spelling stands elsewhere in a map, and may name a culture that is there already.
fn ascending<T>(entries: &mut [T], culture: impl Fn(&T) -> &Culture, name: &str) -> Result<(), Malformed> {
    entries.sort_unstable_by(|one, other| culture(one).cmp(culture(other)));
    let is_twice = entries
        .windows(2)
        .any(|pair| culture(&pair[0]) == culture(&pair[1]));
    if is_twice {
        return Err(Malformed(name.to_owned()));
    }
    Ok(())
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

fn term_id(number: u64, name: &str) -> Result<TermId, Malformed> {
    TermId::new(number).ok_or_else(|| Malformed(name.to_owned()))
}

fn category_id(number: u64, name: &str) -> Result<CategoryId, Malformed> {
    CategoryId::new(number).ok_or_else(|| Malformed(name.to_owned()))
}

fn tagged(tag: &str) -> Result<Culture, Malformed> {
    tag.parse().map_err(|_| Malformed(tag.to_owned()))
}

fn culture(tag: Option<&str>) -> Result<Option<Culture>, Malformed> {
    tag.map(tagged).transpose()
}

fn required_culture(fields: Fields<'_>) -> Result<Culture, Malformed> {
    tagged(fields.text("Culture")?)
}
