//! The stack: where its parts are, who asks, and the connections to both.

pub(crate) mod arguments;
mod http;
mod outputs;
mod session;
mod settings;

pub(crate) use arguments::StackArguments;
pub(crate) use session::Session;
