//! XML of requests and responses, read and written as text.

use crate::transport::{Measure, Reply};

/// Returns the texts of all elements with this name.
pub(crate) fn elements(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let found = xml.split(open.as_str()).skip(1);
    let texts = found.filter_map(|rest| rest.split_once(close.as_str()));
    texts.map(|(text, _)| unescaped(text)).collect()
}

/// Returns the text of the first element with this name.
pub(crate) fn element(xml: &str, name: &str) -> Option<String> {
    elements(xml, name).into_iter().next()
}

/// Builds a response.
pub(crate) fn reply(status: u16, body: String) -> Reply {
    Reply::new(status, "application/xml", body)
}

/// Builds an error response of SNS and CloudFront.
pub(crate) fn error(status: u16, code: &str) -> Reply {
    let error = format!("<Error><Type>Sender</Type><Code>{code}</Code><Message>testkit</Message></Error>");
    reply(
        status,
        format!("<ErrorResponse>{error}<RequestId>TESTKIT</RequestId></ErrorResponse>"),
    )
}

/// Reads the measures of a response about one thing.
pub(crate) fn measure(reply: &Reply) -> Measure {
    Measure {
        error: element(&String::from_utf8_lossy(&reply.body), "Code"),
        items: usize::from(reply.is_success()),
        units: None,
    }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}
