//! The listed differences of the engines.

/// The embedded engine, with the corrections of `aws_constraints`.
pub(crate) const EMBEDDED_ENGINE: &str = taxonomy_testkit::dynamodb::EMBEDDED;
/// Amazon's DynamoDB Local in the version that `make prove NAMES=conformance` installs.
pub(crate) const LOCAL_ENGINE: &str = "DynamoDB Local 1.11.478";

/// A difference between an engine and AWS's documentation.
pub(crate) struct Deviation {
    pub(crate) engine: &'static str,
    /// The name of the behaviour.
    pub(crate) behaviour: &'static str,
    /// The observation on this engine.
    pub(crate) seen: &'static str,
    /// The reason, if it is known, and the measure taken.
    pub(crate) done: &'static str,
}

const fn local(behaviour: &'static str, seen: &'static str, done: &'static str) -> Deviation {
    Deviation {
        engine: LOCAL_ENGINE,
        behaviour,
        seen,
        done,
    }
}

pub(crate) const DEVIATIONS: &[Deviation] = &[
    local(
        "An empty text that is no key is stored",
        "ValidationException",
        "AWS allows it since May 2020, after this version. The model leaves empty attributes out. A log entry that was made again from its changeset alone has them: nothing says which object version it was of.",
    ),
    local(
        "An update does not write a longer key of the index",
        "1024: accepted; 1025: accepted; partition of 2049: accepted",
        "The embedded engine accepted it too; `aws_constraints` refuses it there.",
    ),
    local(
        "A failed condition shows the item where the request asks for it",
        "asked: nothing; not asked: nothing",
        "AWS added it in 2023. The load asks for it, to tell an item from the future from one that it has written.",
    ),
    local(
        "A page of a query has at most 1 MB",
        "more than 1 MB, more to come",
        "It ends a page after the item that crosses the limit. The readers follow `LastEvaluatedKey` in either case.",
    ),
    local(
        "A read of an item that is not there costs as much as one of a small item",
        "get: 0.5; two in a batch, one of them there: 0.5",
        "It counts less than AWS. The budgets are asserted on the embedded engine.",
    ),
    local(
        "A query that finds nothing costs as much as one of a small item",
        "eventual: 0.0; consistent: 0.0",
        "It counts less than AWS. The budgets are asserted on the embedded engine.",
    ),
    local(
        "A transaction costs twice a plain write, and reading units when its token is sent again",
        "4.0; with a token: 4.0; the same again: 2.0",
        "It counts twice as much as AWS. The budgets are asserted on the embedded engine.",
    ),
    Deviation {
        engine: EMBEDDED_ENGINE,
        behaviour: "A write that changes nothing has no record in the stream",
        seen: "INSERT MODIFY",
        done: "`stream_records` leaves such records out.",
    },
];
