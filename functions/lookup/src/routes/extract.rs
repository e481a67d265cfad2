//! The terms that a text mentions (docs/decisions/0037-extraction.md).

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use taxonomy_api::{Mention as Mentioned, MentionedName, MentionedTerm, Mentions};
use taxonomy_index::search::mention::{Candidate, Class, Extraction, Mention, class};
use taxonomy_index::search::{Deprecated, Kind, SearchPart};
use taxonomy_keys::{Culture, TermId};
use taxonomy_model::stored::StoredTerm;
use utoipa::ToSchema;

use crate::files::{Branch, FileNode, lists};
use crate::request::Request;
use crate::request::parameters::{Parameters, culture};
use crate::response::answer::Answer;
use crate::response::problem::{Problem, ProblemCode};
use crate::routes::replacements::Replacements;
use crate::routes::route::Route;
use crate::routes::tree::not_found;
use crate::snapshot::Snapshot;

pub(crate) const EXTRACT: Route = Route::post("/v1/tenants/{tenant}/terms:extract", |request| {
    Box::pin(extract(request))
});

/// The longest text, in bytes of UTF-8.
const MAX_TEXT: usize = 100 << 10;
/// The longest body: a text of that length whose every letter beyond ASCII is escaped takes three times as much.
const MAX_BODY: usize = 320 << 10;

/// The most mentions of a response, and their usual number.
const MAX_MENTIONS: u16 = 500;
const USUAL_MENTIONS: u16 = 100;

/// The maximum number of different terms of a response, each of which may take a read. The rest is for the next request.
const MAX_TERMS: usize = 500;
/// The number of terms whose blocks are in memory at once.
const TERMS_AT_ONCE: usize = 50;

/// The most cultures whose names are looked for, and the bytes of their automata: all are in memory at once.
const MAX_CULTURES: usize = 5;
const MAX_AUTOMATA: usize = 64 << 20;

/// The body of a request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextToRead {
    /// The text, at most 102,400 bytes in UTF-8.
    #[schema(max_length = 102_400)]
    text: String,
    /// The cultures whose names are looked for; each stands for all of its language. Without it the culture of the response.
    #[serde(default)]
    #[schema(max_items = 5, example = json!(["en-GB"]))]
    cultures: Vec<String>,
    /// The place where reading begins, in UTF-16 code units: `next` of the response before.
    #[serde(default)]
    from: u32,
}

/// What to look for.
struct Wanted {
    text: String,
    cultures: Vec<Culture>,
    from: u32,
    branch: Option<Branch>,
    deprecated: Deprecated,
    limit: usize,
}

/// The terms that a text mentions
///
/// Finds the names and alternative names of terms in a text, in the form that a search folds them to: at each word the longest name that begins
/// there. An ambiguous name has all its terms as candidates.
#[utoipa::path(
    post, path = EXTRACT.path, operation_id = "extractTerms", tag = "terms",
    params(
        ("limit" = Option<u16>, Query, description = "How many mentions; 100 where it is left out", minimum = 1, maximum = 500),
        ("category" = Option<u64>, Query, description = "Only terms of this category", maximum = 9007199254740991u64),
        ("below" = Option<u64>, Query, description = "Only terms below this term; not beside `category`", maximum = 9007199254740991u64),
        ("deprecated" = Option<String>, Query),
        ("culture" = Option<String>, Query),
    ),
    request_body = TextToRead,
    responses((status = 200, description = "The mentions, in the order of the text", body = Mentions<'static>)),
)]
pub(crate) async fn extract(request: &Request<'_>) -> Result<Answer, Problem> {
    let wanted = Wanted::parse(&request.event.body_of(MAX_BODY)?, request.query)?;
    let snapshot = request.snapshot(None).await?;
    let page = Page::read(&snapshot, &wanted).await?;
    let terms = Terms::read(&snapshot, &page).await?;
    let body = page.answer(&snapshot, &terms)?;
    let candidates = body.items.iter().flat_map(|mention| &mention.candidates);
    let answer = Answer::json(&body)?.in_languages(candidates.map(|term| term.culture.as_str()));
    Ok(answer.about(&snapshot.tag()))
}

impl Wanted {
    fn parse(body: &[u8], query: &Parameters) -> Result<Self, Problem> {
        let invalid = |_| {
            let detail = "The body is a JSON object such as {\"text\":\"We look for Rust developers.\"}.";
            Problem::new(ProblemCode::InvalidBody, detail).at("/body")
        };
        let TextToRead { text, cultures, from } = serde_json::from_slice(body).map_err(invalid)?;
        if text.len() > MAX_TEXT {
            let detail = "A text has at most 102,400 bytes in UTF-8. Send a longer one in parts.";
            return Err(Problem::new(ProblemCode::BodyTooLarge, detail).at("/body/text"));
        }
        if cultures.len() > MAX_CULTURES {
            let detail = "A request names at most 5 cultures.";
            return Err(Problem::invalid_parameter(detail, "/body/cultures"));
        }
        let cultures = cultures.iter().enumerate();
        let cultures = cultures.map(|(position, tag)| culture(tag, &format!("/body/cultures/{position}")));
        Ok(Self {
            text,
            cultures: cultures.collect::<Result<_, _>>()?,
            from,
            branch: query.branch()?,
            deprecated: query.deprecated()?,
            limit: query.number("limit", MAX_MENTIONS, USUAL_MENTIONS)?.into(),
        })
    }
}

/// A part of the mentions of a text.
struct Page<'t> {
    cultures: Vec<Culture>,
    mentions: Vec<Mention<'t>>,
    next: Option<u32>,
}

impl<'t> Page<'t> {
    async fn read(snapshot: &Snapshot<'_>, wanted: &'t Wanted) -> Result<Self, Problem> {
        let file = snapshot.file().await?;
        let within = match wanted.branch {
            Some(branch) => file.branch(branch).await?.ok_or_else(|| not_found(branch))?.0,
            None => file.footer().terms(),
        };
        let (mut cultures, mut parts) = (Vec::new(), Vec::new());
        for culture in wanted_cultures(snapshot, &wanted.cultures) {
            if let Some(part) = file.automaton(&culture).await? {
                cultures.push(culture);
                parts.push(part);
            }
            if parts.iter().map(SearchPart::size).sum::<usize>() > MAX_AUTOMATA {
                let detail = "The names of these cultures are more than the service holds at once. Name fewer cultures.";
                return Err(Problem::new(ProblemCode::AnswerTooLarge, detail).at("/body/cultures"));
            }
        }
        let automata: Vec<_> = parts.iter().filter_map(SearchPart::automaton).collect();
        let extraction = Extraction::new(&wanted.text, &automata);
        let admits =
            |ordinal, is_deprecated| within.contains(&ordinal) && lists(wanted.deprecated, is_deprecated);
        let mut page = Self {
            cultures,
            mentions: Vec::new(),
            next: None,
        };
        let mut terms = BTreeSet::new();
        for mention in extraction.mentions(wanted.from, admits) {
            terms.extend(mention.candidates.iter().map(|candidate| candidate.ordinal));
            if page.mentions.len() == wanted.limit || terms.len() > MAX_TERMS {
                page.next = Some(mention.range.start);
                break;
            }
            page.mentions.push(mention);
        }
        Ok(page)
    }

    fn answer(&self, snapshot: &Snapshot<'_>, terms: &'t Terms) -> Result<Mentions<'t>, Problem> {
        let items = self.mentions.iter().map(|mention| {
            let candidates = mention.candidates.iter();
            let candidates =
                candidates.map(|candidate| terms.candidate(mention.text, *candidate, &self.cultures));
            let mut candidates: Vec<(Class, MentionedTerm<'t>)> = candidates.collect::<Result<_, _>>()?;
            candidates.sort_by_key(|(class, _)| *class);
            Ok(Mentioned {
                range: [mention.range.start, mention.range.end],
                text: mention.text.into(),
                candidates: candidates.into_iter().map(|(_, term)| term).collect(),
                truncated: mention.has_more,
            })
        });
        Ok(Mentions {
            version: snapshot.version(),
            cultures: self.cultures.clone(),
            items: items.collect::<Result<_, Problem>>()?,
            next: self.next,
        })
    }
}

/// Returns the cultures whose names are looked for: of each that is named the first of its fallback, and the others of the same language.
fn wanted_cultures(snapshot: &Snapshot<'_>, named: &[Culture]) -> Vec<Culture> {
    let orders = match named {
        [] => vec![snapshot.order()],
        named => named.iter().map(|culture| snapshot.order_of(culture)).collect(),
    };
    let mut cultures: Vec<Culture> = Vec::new();
    for order in &orders {
        let Some(first) = order.first() else { continue };
        let all = order.iter().chain(snapshot.cultures());
        for culture in all.filter(|culture| culture.language() == first.language()) {
            if !cultures.contains(culture) && snapshot.cultures().contains(culture) {
                cultures.push(culture.clone());
            }
        }
    }
    cultures.truncate(MAX_CULTURES);
    cultures
}

/// The terms of a page, by their ordinals.
struct Terms {
    terms: HashMap<u32, NamedTerm>,
    replacements: Replacements,
}

/// A term with its names in the cultures that are looked for.
struct NamedTerm {
    term: StoredTerm,
    id: TermId,
    names: Vec<(usize, Kind, String)>,
}

impl Terms {
    async fn read(snapshot: &Snapshot<'_>, page: &Page<'_>) -> Result<Self, Problem> {
        let (file, order) = (snapshot.file().await?, snapshot.order());
        let candidates = page.mentions.iter().flat_map(|mention| &mention.candidates);
        let ordinals: BTreeSet<u32> = candidates.map(|candidate| candidate.ordinal).collect();
        let ordinals: Vec<u32> = ordinals.into_iter().collect();
        let mut terms = HashMap::with_capacity(ordinals.len());
        for ordinals in ordinals.chunks(TERMS_AT_ONCE) {
            let nodes = file.nodes(ordinals).await?;
            let named = nodes
                .iter()
                .filter_map(|node| Some((node.ordinal, NamedTerm::new(node, &order, &page.cultures)?)));
            terms.extend(named);
        }
        let deprecated = terms.values().filter(|named: &&NamedTerm| named.term.deprecated);
        let replacements =
            Replacements::follow(snapshot, deprecated.map(|named| (named.id, &named.term))).await?;
        Ok(Self { terms, replacements })
    }

    /// Returns a candidate, and how a piece of the text has a name of it: the best one of those names.
    fn candidate(
        &self,
        piece: &str,
        candidate: Candidate,
        cultures: &[Culture],
    ) -> Result<(Class, MentionedTerm<'_>), Problem> {
        let other = || Problem::file_lost("a search object names another term than the index file");
        let named = self.terms.get(&candidate.ordinal).ok_or_else(other)?;
        let of_culture = named
            .names
            .iter()
            .filter(|(culture, ..)| *culture == candidate.automaton);
        let best = of_culture.filter_map(|(_, kind, name)| Some((class(piece, name)?, *kind, name)));
        let (class, kind, name) = best
            .min_by_key(|(class, kind, _)| (*class, *kind))
            .ok_or_else(other)?;
        let term = &named.term;
        let mentioned = MentionedName {
            name: name.into(),
            culture: cultures[candidate.automaton].clone(),
            kind: if kind == Kind::Preferred {
                "name"
            } else {
                "altName"
            }
            .into(),
            class: match class {
                Class::Whole => "whole",
                Class::Folded => "folded",
                Class::Plural => "plural",
            }
            .into(),
        };
        let term = MentionedTerm {
            id: named.id,
            name: (&*term.name).into(),
            culture: term.culture.clone(),
            final_name: (&*term.final_name).into(),
            path: term.paths().swap_remove(0),
            category: term.category_id,
            notation: term.notation.as_deref().map(Into::into),
            deprecated: term.deprecated,
            replaced_by: self.replacements.get(named.id, term).into(),
            mentioned,
        };
        Ok((class, term))
    }
}

impl NamedTerm {
    /// None for a node that is no term.
    fn new(node: &FileNode, order: &[Culture], cultures: &[Culture]) -> Option<Self> {
        let term = node.term()?;
        let mut names = Vec::new();
        for (number, culture) in cultures.iter().enumerate() {
            let preferred = term
                .node
                .name_in(culture)
                .map(|name| (number, Kind::Preferred, name.name.to_owned()));
            let alternative = term
                .node
                .details()
                .alt_names
                .iter()
                .filter(|(tag, _)| tag == culture);
            names.extend(preferred);
            names.extend(alternative.map(|(_, name)| (number, Kind::Alternative, name.clone())));
        }
        Some(Self {
            id: term.id(),
            names,
            term: node.stored_term(order)?,
        })
    }
}
