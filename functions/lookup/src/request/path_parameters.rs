//! The path parameters of an event: the values that API Gateway matched in the open places of a route.
//!
//! API Gateway takes them from the path that it matched and authorised, and decodes them. The handlers take tenant and id from
//! `rawPath` instead, which may be decoded as a whole; [`mod@crate::request::authorise`] refuses a request where the two differ.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::members::Members;

/// The `pathParameters` of payload format 2.0. The only parameters of a route are `{tenant}` and `{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathParameters {
    tenant: Option<String>,
    id: Option<String>,
    /// Whether there was anything else: an unknown name, a name twice, a value that is not text.
    is_odd: bool,
}

impl PathParameters {
    /// Returns whether these are exactly the parameters; an empty one stands for a parameter that the route does not have.
    pub fn are(&self, tenant: &str, id: &str) -> bool {
        let is = |parameter: &Option<String>, expected| parameter.as_deref().unwrap_or_default() == expected;
        !self.is_odd && is(&self.tenant, tenant) && is(&self.id, id)
    }
}

impl<'de> Deserialize<'de> for PathParameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Option::<Members<'de, Value>>::deserialize(deserializer)?;
        let mut parameters = Self::default();
        for (name, value) in all.into_iter().flat_map(|all| all.0) {
            let place = match &*name {
                "tenant" => Some(&mut parameters.tenant),
                "id" => Some(&mut parameters.id),
                _ => None,
            };
            match (place, value) {
                (Some(place @ None), Value::String(text)) => *place = Some(text),
                _ => parameters.is_odd = true,
            }
        }
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> PathParameters {
        let parameters = serde_json::from_str(json).unwrap();
        let not_borrowed: PathParameters = serde_json::from_reader(json.as_bytes()).unwrap();
        assert_eq!(parameters, not_borrowed, "{json}");
        parameters
    }

    #[test]
    fn parameters_are_exactly_those_of_the_route() {
        let both = parse(r#"{"tenant":"acme","id":"1"}"#);
        assert!(both.are("acme", "1"));
        let others = [
            ("acme", ""),
            ("", "1"),
            ("acme", "2"),
            ("Acme", "1"),
            ("1", "acme"),
            ("", ""),
        ];
        for (tenant, id) in others {
            assert!(!both.are(tenant, id), "{tenant} {id}");
        }
        let tenant = parse(r#"{"tenan\u0074":"acme"}"#);
        assert!(tenant.are("acme", "") && !tenant.are("acme", "1"));
        for json in ["{}", "null"] {
            assert!(parse(json).are("", "") && !parse(json).are("acme", ""), "{json}");
        }
        assert_eq!(parse("{}"), PathParameters::default());
    }

    #[test]
    fn odd_parameters_are_those_of_no_route() {
        for json in [
            r#"{"tenant":"acme","tenant":"acme"}"#,
            r#"{"tenant":["acme"]}"#,
            r#"{"tenant":"acme","id":1}"#,
            r#"{"tenant":"acme","id":null}"#,
            r#"{"tenant":"acme","proxy":"x"}"#,
            r#"{"tenant":"acme","Tenant":"acme"}"#,
        ] {
            let odd = parse(json);
            let any = [("acme", ""), ("acme", "1"), ("", "")];
            assert!(!any.into_iter().any(|(tenant, id)| odd.are(tenant, id)), "{json}");
        }
        for json in ["[]", "1", r#""acme""#, "true"] {
            assert!(serde_json::from_str::<PathParameters>(json).is_err(), "{json}");
        }
    }
}
