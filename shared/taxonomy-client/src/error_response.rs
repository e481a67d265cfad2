//! The error that an error response states: a problem of the service, or a message of API Gateway.

use serde::Deserialize;

use crate::address::Address;
use crate::error::{ClientError, Problem};

/// A message of API Gateway is a few words; a longer text is not its own.
const MAX_MESSAGE: usize = 300;

/// API Gateway writes the field with a capital letter in some of its answers.
#[derive(Deserialize)]
struct Message {
    #[serde(alias = "Message")]
    message: String,
}

/// Returns the error of a response of this API with a status other than 200 and 304.
pub(crate) fn stated(api: &Address, status: u16, body: &[u8]) -> ClientError {
    if let Ok(problem) = serde_json::from_slice::<Problem>(body) {
        return ClientError::Problem(Box::new(Problem { status, ..problem }));
    }
    match serde_json::from_slice::<Message>(body) {
        Ok(Message { message }) => ClientError::Gateway {
            status,
            message: printable(&message),
        },
        Err(_) => unknown(api, status),
    }
}

/// Returns the error of a response that is none of this API.
pub(crate) fn unknown(api: &Address, status: u16) -> ClientError {
    ClientError::UnknownAnswer {
        address: api.to_string(),
        status,
    }
}

/// Returns the first characters of a text, without control characters.
fn printable(text: &str) -> String {
    let kept = text.chars().take(MAX_MESSAGE);
    kept.map(|c| if c.is_control() { ' ' } else { c }).collect()
}
