//! What an answer must be.

use std::collections::{BTreeMap, HashMap};

use lookup::Answer;
use serde_json::{Value, json};

use crate::model::{History, Key, Question};

/// How old an answer may be. The index gives no consistent reads, so of a young version it may be as old as its replicas.
const FRESH_MS: u64 = 2_000;
const YOUNG_MS: u64 = 60_000 + 1_000;

/// A request under way.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) tenant: &'static str,
    pub(crate) question: Question,
    pub(crate) culture: Option<&'static str>,
    pub(crate) if_none_match: Option<String>,
    pub(crate) began: u64,
}

/// What was answered so far, in all processes.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    said: HashMap<String, String>,
    pub(crate) answers: u64,
    pub(crate) tagged: u64,
    pub(crate) unchanged: u64,
    pub(crate) unready: u64,
}

impl Asked {
    pub(crate) fn path(&self) -> String {
        let root = format!("/v1/tenants/{}", self.tenant);
        match &self.question {
            Question::Head => root,
            Question::Term(id) => format!("{root}/terms/{id}"),
            Question::Terms(_) => format!("{root}/terms"),
            Question::Category(id) => format!("{root}/categories/{id}"),
            Question::Categories(..) => format!("{root}/categories"),
        }
    }

    pub(crate) fn query(&self) -> String {
        let mut query = Vec::new();
        match &self.question {
            Question::Terms(ids) => {
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                query.push(format!("ids={}", ids.join(",")));
            }
            Question::Categories(limit, after) => {
                query.push(format!("limit={limit}"));
                query.extend(after.iter().map(|(_, cursor)| format!("cursor={cursor}")));
            }
            _ => {}
        }
        query.extend(self.culture.map(|culture| format!("culture={culture}")));
        query.join("&")
    }

    /// The version that the cursor of the question names; callers do not look into cursors, but a judge may.
    fn version_of_cursor(&self) -> Option<u64> {
        let Question::Categories(_, Some((_, cursor))) = &self.question else {
            return None;
        };
        let cursor: Value = serde_json::from_slice(&base64url(cursor)).ok()?;
        cursor["version"].as_u64()
    }

    fn keys(&self, id: u64) -> Vec<Key> {
        let further = self.culture.map(|culture| Key::TermIn(id, culture.to_owned()));
        further.into_iter().chain([Key::Term(id)]).collect()
    }
}

/// The bytes of an unpadded text (RFC 4648, section 5).
fn base64url(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut bytes, mut bits, mut have) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes() {
        let value = DIGITS.iter().position(|known| *known == digit).unwrap();
        (bits, have) = (bits << 6 | u32::try_from(value).unwrap(), have + 6);
        if have >= 8 {
            have -= 8;
            bytes.push(u8::try_from(bits >> have & 0xff).unwrap());
        }
    }
    bytes
}

/// `"7-0123456789abcdef-1"`.
fn parts(tag: &str) -> Option<(u64, &str)> {
    let (version, rest) = tag.trim_matches('"').split_once('-')?;
    Some((version.parse().ok()?, rest.split_once('-')?.0))
}

impl Judge {
    pub(crate) fn judge(&mut self, history: &History, asked: &Asked, answer: &Answer) -> Result<(), String> {
        self.answers += 1;
        let outcome = self.told(history, asked, answer);
        outcome.map_err(|wrong| {
            format!(
                "{wrong}: GET {}?{} at {} after version {}: {} {:?} {}",
                asked.path(),
                asked.query(),
                asked.began,
                history.served_at(asked.began - FRESH_MS),
                answer.status_code,
                answer.headers.get("etag"),
                answer.body
            )
        })
    }

    fn told(&mut self, history: &History, asked: &Asked, answer: &Answer) -> Result<(), String> {
        let least = history.served_at(asked.began - FRESH_MS);
        let tag = answer.headers.get("etag").map(String::as_str);
        let tagged = tag
            .map(|tag| parts(tag).ok_or("a tag that is none"))
            .transpose()?;
        if let Some((version, changeset)) = tagged {
            let published = history.published.get(&version);
            if published.is_none_or(|published| published.changeset != changeset) {
                return Err("a tag of what was never served".to_owned());
            }
            // A later page comes from the version of the first.
            if version < least && asked.version_of_cursor() != Some(version) {
                return Err(format!("tagged {version}, which is too old"));
            }
        }
        match (answer.status_code, tagged) {
            (304, Some(_)) => {
                self.unchanged += 1;
                let sent = asked.if_none_match.as_deref() == tag;
                if sent && answer.body.is_empty() {
                    Ok(())
                } else {
                    Err("304 for another tag".to_owned())
                }
            }
            (200, Some((version, _))) => {
                self.tagged += 1;
                self.exactly(history, asked, answer, version)
            }
            (200, None) => new_enough(history, asked, &body(answer), least),
            (404, None) => {
                let is_there = match &asked.question {
                    Question::Term(id) => history.has(least, &Key::Term(*id)),
                    Question::Category(id) => history.has(least, &Key::Category(*id)),
                    _ => least > 0,
                };
                if is_there {
                    Err("not found".to_owned())
                } else {
                    Ok(())
                }
            }
            // A later page of a version that is not served any more, without its index file: the build of it failed.
            (503, None)
                if body(answer)["type"] == "/problems/version-not-ready"
                    && asked
                        .version_of_cursor()
                        .is_some_and(|version| !history.is_indexed_at(version, asked.began - FRESH_MS)) =>
            {
                self.unready += 1;
                Ok(())
            }
            _ => Err("an error".to_owned()),
        }
    }

    /// The same URL with the same tag is the same bytes, and they are what the version says.
    fn exactly(
        &mut self,
        history: &History,
        asked: &Asked,
        answer: &Answer,
        version: u64,
    ) -> Result<(), String> {
        let url = format!("{}?{} {}", asked.path(), asked.query(), answer.headers["etag"]);
        let headers: BTreeMap<_, _> = answer.headers.iter().collect();
        let bytes = format!("{headers:?} {}", answer.body);
        let before = self.said.entry(url).or_insert_with(|| bytes.clone());
        if *before != bytes {
            return Err(format!("the same tag said {before}"));
        }
        let mut told = body(answer);
        let fields = told.as_object_mut().unwrap();
        match &asked.question {
            Question::Head => drop(fields.remove("committedAt")),
            Question::Categories(..) => drop(fields.remove("nextCursor")),
            Question::Terms(_) => {
                for item in fields["items"].as_array_mut().unwrap() {
                    item.as_object_mut().unwrap().remove("problem");
                }
            }
            _ => {}
        }
        let expect = history.answer(version, &asked.question, asked.culture);
        if expect.as_ref() == Some(&told) {
            Ok(())
        } else {
            Err(format!("{version} says {}", expect.unwrap_or_default()))
        }
    }
}

fn body(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

/// Each part is at least as new as `least` says; what it is a part of may mix versions.
fn new_enough(history: &History, asked: &Asked, told: &Value, least: u64) -> Result<(), String> {
    let term = |id: u64, part: &Value| {
        let version = part["version"].as_u64().unwrap_or_default();
        let keys = asked.keys(id);
        let says = keys.iter().any(|key| history.says(least, key, None, part));
        says && (least..=history.latest()).contains(&version)
    };
    let good = match &asked.question {
        Question::Head => {
            let projected = told["projectedVersion"].as_u64().unwrap_or_default();
            projected >= least && told["version"].as_u64() > Some(projected)
        }
        Question::Term(id) => term(*id, told),
        Question::Terms(ids) => {
            ids.iter()
                .zip(told["items"].as_array().unwrap())
                .all(|(id, item)| match item["status"].as_u64() {
                    Some(200) => term(*id, &item["term"]),
                    _ => !history.has(least, &Key::Term(*id)),
                })
        }
        Question::Category(id) => {
            told["version"].as_u64() >= Some(least)
                && history.says(least, &Key::Category(*id), asked.culture, told)
        }
        Question::Categories(..) => {
            let least = history.served_at(asked.began - YOUNG_MS);
            let items = told["items"].as_array().unwrap();
            items.iter().all(|item| {
                let id = item["id"].as_u64().unwrap();
                history.says(least, &Key::Category(id), asked.culture, item)
            })
        }
    };
    if good {
        Ok(())
    } else {
        Err(format!("older than {}", json!(least)))
    }
}
