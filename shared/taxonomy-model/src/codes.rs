//! The codes of a report.

/// Declares `Code`, the kinds of issues of a report. Each has a stable text form, which is what is serialized, a `Severity` of the caller's
/// and a hint. The page of the report describes each by its text form.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    ($($code:ident $text:literal $severity:ident $hint:literal,)+) => {
        /// The kind of an issue; the text form is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the page of the report describes each by its text form")]
        pub enum Code { $($code,)+ }

        impl Code {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$code,)+];

            /// The stable text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$code => $text,)+ }
            }

            /// Its weight.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)+ }
            }

            /// The next step.
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$code => $hint,)+ }
            }
        }

        impl serde::Serialize for Code {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
