//! `taxonomy extract`: the terms that a text mentions.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use taxonomy_client::answers::{Mention, MentionedTerm};
use taxonomy_client::{Deprecated, MAX_TEXT_BYTES, MentionOptions};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId};

use crate::arguments::{CommonArguments, id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file;
use crate::output::printable;
use crate::stack::Session;

/// Find the terms that a text mentions
///
/// Finds the names and alternative names of terms in a text of at most 100 KiB, such as a job advert: at each word the longest name that begins there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy extract advert.txt --tenant acme
  pdftotext advert.pdf - | taxonomy extract - --tenant acme --culture de --culture en
  taxonomy extract advert.txt --tenant acme --category 2 --output json

Each line has the place in the text, in UTF-16 code units, the piece, and the terms that have such a name: \
an = before a term whose name the text has whole, a ~ before one whose name it has with other marks, joined, split or in another number.")]
pub(crate) struct Extract {
    /// The tenant
    #[arg(long, value_name = "TENANT")]
    tenant: TenantId,
    /// The file with the text, in UTF-8; `-` reads standard input
    #[arg(value_name = "FILE")]
    text: PathBuf,
    /// A culture of the text, up to five times; the first is that of the names shown [default: the tenant's]
    #[arg(long = "culture", value_name = "TAG")]
    cultures: Vec<Culture>,
    /// Only terms of this category
    #[arg(long, value_name = "ID")]
    category: Option<CategoryId>,
    /// Only terms below this term
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with = "category")]
    below: Option<TermId>,
    /// Leave deprecated terms out
    #[arg(long)]
    without_deprecated: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Finds the terms and shows them.
///
/// # Errors
/// [`Failure`] when the text cannot be read or a request fails.
pub(crate) async fn run(extract: &Extract) -> Result<Exit, Failure> {
    let text = text(extract)?;
    let options = MentionOptions {
        culture: extract.cultures.first().cloned(),
        cultures: extract.cultures.clone(),
        category: extract.category,
        below: extract.below,
        deprecated: match extract.without_deprecated {
            true => Deprecated::Exclude,
            false => Deprecated::Include,
        },
    };
    let session = Session::open(&extract.common.stack).await?;
    let tenant = session.api(&extract.tenant).await?;
    let mentions = tenant.mentions(&text, &options).await?;
    extract.common.output.write(&mentions, |out| {
        mentions
            .items
            .iter()
            .try_for_each(|mention| write_mention(out, mention))
    })?;
    Ok(Exit::Done)
}

fn text(extract: &Extract) -> Result<String, Failure> {
    let path = &extract.text;
    let most = MAX_TEXT_BYTES as u64;
    let bytes = file::stored(path, most)?.ok_or_else(|| {
        let message = format!("{} has more than {most} bytes", path.display());
        Failure::unable(message, "Divide the text at a blank line: no name goes over one.")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("{} is no text in UTF-8", path.display());
        Failure::unable(message, "Convert it, for example by `iconv -t UTF-8`.")
    })
}

fn write_mention(out: &mut dyn Write, mention: &Mention) -> io::Result<()> {
    let [start, end] = mention.range;
    let terms: Vec<String> = mention.candidates.iter().map(term).collect();
    let more = if mention.truncated { "  .." } else { "" };
    let place = format!("{start}-{end}");
    writeln!(
        out,
        "{place:>13}  {}  {}{more}",
        printable(&mention.text),
        terms.join("  ")
    )
}

fn term(term: &MentionedTerm) -> String {
    let sign = if term.mentioned.class == "whole" { '=' } else { '~' };
    let replaced_by: Vec<String> = term.replaced_by.iter().map(u64::to_string).collect();
    let deprecated = match (term.deprecated, replaced_by.is_empty()) {
        (false, _) => String::new(),
        (true, true) => " (deprecated)".to_owned(),
        (true, false) => format!(" (deprecated, see {})", replaced_by.join(", ")),
    };
    format!("{sign}{} {}{deprecated}", term.id, printable(&term.final_name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mention_is_a_line() {
        let term = |id, class, deprecated, replaced_by: &[u64]| {
            json!({
                "id": id, "name": "Rustacean", "culture": "en-GB", "finalName": "Skill:Rustacean", "category": 2,
                "deprecated": deprecated, "replacedBy": replaced_by,
                "mentioned": {"name": "Rustacean", "culture": "en-GB", "kind": "name", "class": class},
            })
        };
        let line = |truncated, candidates: &[serde_json::Value]| {
            let mention = json!({"range": [3, 13], "text": "Rustaceans\n", "candidates": candidates, "truncated": truncated});
            let mut out = Vec::new();
            write_mention(&mut out, &serde_json::from_value(mention).unwrap()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let one = line(false, &[term(201, "whole", false, &[])]);
        assert_eq!(one, "         3-13  Rustaceans\\n  =201 Skill:Rustacean\n");
        let both = [term(1, "plural", true, &[]), term(2, "folded", true, &[5, 6])];
        let several = line(true, &both);
        let expect = "~1 Skill:Rustacean (deprecated)  ~2 Skill:Rustacean (deprecated, see 5, 6)  ..\n";
        assert_eq!(several, format!("         3-13  Rustaceans\\n  {expect}"));
    }
}
