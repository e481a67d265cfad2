//! The headers of a response.

use std::borrow::Cow;
use std::ops::Index;

use serde::{Serialize, Serializer};

/// The most headers that a response usually has, so that adding them allocates once.
const USUAL: usize = 12;

/// Headers in the order of their names, in lower case. A response has about eight, so a list costs less than a tree, which each response that was
/// kept would copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHeaders(Vec<(&'static str, Cow<'static, str>)>);

impl ResponseHeaders {
    /// Sets a header in place of any value that it had.
    pub fn insert(&mut self, name: &'static str, value: Cow<'static, str>) {
        match self.position(name) {
            Ok(position) => self.0[position].1 = value,
            Err(position) => self.0.insert(position, (name, value)),
        }
    }

    /// Removes a header, and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Cow<'static, str>> {
        let position = self.position(name).ok()?;
        Some(self.0.remove(position).1)
    }

    /// Returns the value of a header.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Cow<'static, str>> {
        let position = self.position(name).ok()?;
        Some(&self.0[position].1)
    }

    /// Returns whether there is such a header.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// Returns all headers by name.
    pub fn iter(&self) -> impl Iterator<Item = (&&'static str, &Cow<'static, str>)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by_key(&name, |(known, _)| known)
    }
}

impl<const N: usize> From<[(&'static str, Cow<'static, str>); N]> for ResponseHeaders {
    fn from(headers: [(&'static str, Cow<'static, str>); N]) -> Self {
        let mut all = Self(Vec::with_capacity(USUAL));
        for (name, value) in headers {
            all.insert(name, value);
        }
        all
    }
}

impl Index<&str> for ResponseHeaders {
    type Output = Cow<'static, str>;

    /// # Panics
    /// If there is no such header.
    #[expect(clippy::panic, reason = "as the index of a map")]
    fn index(&self, name: &str) -> &Cow<'static, str> {
        match self.get(name) {
            Some(value) => value,
            None => panic!("there is no header {name}"),
        }
    }
}

impl IntoIterator for ResponseHeaders {
    type Item = (&'static str, Cow<'static, str>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for ResponseHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_value_and_are_in_the_order_of_their_names() {
        let mut headers = ResponseHeaders::from([
            ("vary", "*".into()),
            ("etag", "1".into()),
            ("vary", "accept".into()),
        ]);
        headers.insert("allow", "GET".into());
        headers.insert("etag", "2".into());
        let json = r#"{"allow":"GET","etag":"2","vary":"accept"}"#;
        assert_eq!(serde_json::to_string(&headers).unwrap(), json);
        assert_eq!(headers["etag"], "2");
        assert_eq!(headers.get("ETag"), None);
        assert_eq!(headers.remove("etag"), Some("2".into()));
        assert!(!headers.contains_key("etag") && headers.remove("etag").is_none());
    }
}
