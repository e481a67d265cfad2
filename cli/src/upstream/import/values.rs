//! The values of the arguments, as a person writes them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use taxonomy_import::sources::skos::is_base;
use taxonomy_import::sources::{COLUMN_FIELDS, SourceFormat, is_column_field};

pub(super) fn formats() -> impl TypedValueParser<Value = SourceFormat> {
    let formats = SourceFormat::ALL.iter();
    let values = formats.map(|format| PossibleValue::new(format.as_str()).help(format.description()));
    PossibleValuesParser::new(values).try_map(|name| {
        let mut formats = SourceFormat::ALL.iter().copied();
        formats
            .find(|format| format.as_str() == name)
            .ok_or("an unknown format")
    })
}

pub(super) fn base(text: &str) -> Result<String, String> {
    match is_base(text) {
        true => Ok(text.to_owned()),
        false => Err("a base is an absolute IRI, such as https://example.com/thesaurus/".to_owned()),
    }
}

pub(super) fn column(text: &str) -> Result<(String, String), String> {
    let pair = text
        .split_once('=')
        .filter(|(field, header)| !field.is_empty() && !header.is_empty());
    let (field, header) = pair.ok_or("a column is named as FIELD=HEADER")?;
    match is_column_field(field) {
        true => Ok((field.trim().to_owned(), header.trim().to_owned())),
        false => Err(format!("{field} is not a field; the fields are {COLUMN_FIELDS}")),
    }
}

pub(super) fn column_help() -> String {
    format!(
        "Of a table: the column that holds a field, such as name.fr-FR=Titre; a column may hold several\n\n\
         Fields, those in brackets with a language tag behind a dot or without one: {COLUMN_FIELDS}"
    )
}

pub(super) fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" | b"tab" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("the delimiter is one ASCII character, or tab".to_owned()),
    }
}
