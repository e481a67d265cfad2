//! A log line: a flat JSON object with level, message, fields and target of an event, and the ids of the invocation that it belongs to.

use std::fmt::{self, Write};
use std::sync::RwLock;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The invocation of this process. A process of Lambda has one at a time.
static INVOCATION: RwLock<Invocation> = RwLock::new(Invocation {
    request: String::new(),
    trace: String::new(),
});

/// The ids of an invocation; empty before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The id that Lambda gives it, `requestId` in lines.
    pub request: String,
    /// The id of its X-Ray trace, `traceId` in lines.
    pub trace: String,
}

impl Invocation {
    /// Begins an invocation: its ids are in every line until the next one begins.
    pub fn begin(request: &str, trace: Option<&str>) {
        if let Ok(mut current) = INVOCATION.write() {
            current.request.clear();
            current.request.push_str(request);
            current.trace.clear();
            current.trace.push_str(trace.unwrap_or_default());
        }
    }

    /// Returns the current invocation.
    pub fn current() -> Self {
        INVOCATION
            .read()
            .map(|current| current.clone())
            .unwrap_or_default()
    }
}

/// The format of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (level, target) = (event.metadata().level().as_str(), event.metadata().target());
        writer.write_str("{\"level\":\"")?;
        writer.write_str(level)?;
        writer.write_char('"')?;
        let mut fields = Fields {
            writer: &mut writer,
            written: Ok(()),
        };
        event.record(&mut fields);
        fields.string("target", |text| text.write_str(target));
        if let Ok(invocation) = INVOCATION.read() {
            for (name, id) in [("requestId", &invocation.request), ("traceId", &invocation.trace)] {
                if !id.is_empty() {
                    fields.string(name, |text| text.write_str(id));
                }
            }
        }
        fields.written?;
        writer.write_str("}\n")
    }
}

/// Writes fields as members of an object, until one cannot be written.
struct Fields<'l, 'w> {
    writer: &'l mut Writer<'w>,
    written: fmt::Result,
}

impl<'w> Fields<'_, 'w> {
    /// Writes a member, piece by piece: each request writes a line, and nothing of a name needs formatting.
    fn member(&mut self, name: &str, value: impl FnOnce(&mut Writer<'w>) -> fmt::Result) {
        if self.written.is_ok() {
            self.written = self
                .writer
                .write_str(",\"")
                .and_then(|()| self.writer.write_str(name))
                .and_then(|()| self.writer.write_str("\":"))
                .and_then(|()| value(self.writer));
        }
    }

    /// Writes a member whose value is an integer. Each line of a request has five, and [`fmt::Display`] takes ten times the instructions.
    fn integer(&mut self, name: &str, value: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.member(name, |writer| writer.write_str(digits.format(value)));
    }

    /// Writes a member whose value is a text, which `write` writes.
    fn string(&mut self, name: &str, write: impl FnOnce(&mut Escaped<'_, 'w>) -> fmt::Result) {
        self.member(name, |writer| {
            writer.write_char('"')?;
            write(&mut Escaped(writer))?;
            writer.write_char('"')
        });
    }
}

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field.name(), |writer| match value.is_finite() {
            true => write!(writer, "{value:?}"),
            false => writer.write_str("null"),
        });
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.integer(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.integer(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field.name(), |writer| write!(writer, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.string(field.name(), |text| text.write_str(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.string(field.name(), |text| write!(text, "{value:?}"));
    }
}

/// Escapes what is written, as a string of JSON requires (RFC 8259, section 7).
struct Escaped<'l, 'w>(&'l mut Writer<'w>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        // By bytes: none of the three is part of a longer character.
        let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        // Most texts need no escape. Without an early exit, the compiler compares several bytes at once.
        if !text.bytes().fold(false, |any, byte| any | is_special(byte)) {
            return self.0.write_str(text);
        }
        while let Some(position) = rest.bytes().position(is_special) {
            let (plain, escaped) = rest.split_at(position);
            self.0.write_str(plain)?;
            // All three kinds are ASCII.
            let (escaped, behind) = escaped.split_at(1);
            match escaped {
                "\"" => self.0.write_str("\\\"")?,
                "\\" => self.0.write_str("\\\\")?,
                "\n" => self.0.write_str("\\n")?,
                control => write!(self.0, "\\u{:04x}", control.as_bytes()[0])?,
            }
            rest = behind;
        }
        self.0.write_str(rest)
    }
}
