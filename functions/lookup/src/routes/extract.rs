//! The terms that a text mentions (docs/decisions/0037-extraction.md).

use std::collections::BTreeSet;

use taxonomy_api::{Mention as Mentioned, MentionedTerm, Mentions};
use taxonomy_index::search::mention::{Class, Extraction, Mention};
use taxonomy_index::search::{Language, SearchPart};
use taxonomy_keys::Culture;

use crate::files::lists;
use crate::request::Request;
use crate::response::answer::Answer;
use crate::response::problem::{Problem, ProblemCode};
use crate::routes::extract::terms::Terms;
use crate::routes::extract::wanted::{MAX_BODY, MAX_CULTURES, TextToRead, Wanted};
use crate::routes::missing;
use crate::routes::route::Route;
use crate::snapshot::Snapshot;

mod terms;
mod wanted;

pub(crate) const EXTRACT: Route = Route::post("/v1/tenants/{tenant}/terms:extract", |request| {
    Box::pin(extract(request))
});

/// The maximum number of different terms of a response, each of which may take a read. The rest is for the next request.
const MAX_TERMS: usize = 500;

/// The most bytes of automata: those of all cultures are in memory at once, beside the bytes of the one that is read.
const MAX_AUTOMATA: usize = 32 << 20;

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
    let terms = Terms::read(&snapshot, &page.mentions, &page.cultures).await?;
    let body = page.answer(&snapshot, &terms)?;
    let candidates = body.items.iter().flat_map(|mention| &mention.candidates);
    let answer = Answer::json(&body)?.in_languages(candidates.map(|term| term.culture.as_str()));
    Ok(answer.about(&snapshot.tag()))
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
            Some(branch) => match file.branch(branch).await? {
                Some((ordinals, _)) => ordinals,
                None => return Err(missing::branch(snapshot, branch).await),
            },
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
    let language = |culture: &Culture| Language::from(culture);
    let mut cultures: Vec<Culture> = Vec::new();
    for order in &orders {
        let Some(first) = order.first() else { continue };
        let all = order.iter().chain(snapshot.cultures());
        for culture in all.filter(|culture| language(culture) == language(first)) {
            if !cultures.contains(culture) && snapshot.cultures().contains(culture) {
                cultures.push(culture.clone());
            }
        }
    }
    cultures.truncate(MAX_CULTURES);
    cultures
}
