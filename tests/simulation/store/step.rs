//! What may happen to a tenant.

use taxonomy_tests::prelude::*;

/// An event of a script.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A valid file is uploaded, and its event delivered.
    Upload(Value),
    /// The same with a compressed file.
    CompressedUpload(Value),
    /// The compressed bytes are uploaded once more without the label that they are compressed; no event is delivered.
    Mislabel(Value),
    /// The last event is delivered again.
    Redeliver,
    /// A file is uploaded that the projector refuses, and its event delivered.
    Refused(Value),
    /// A valid file is uploaded; each invocation has time for this many readings of the clock.
    ShortInvocations(Value, u64),
    /// A file is uploaded whose process dies at its n-th item; AWS has not repeated the event yet.
    HalfWritten(Value, usize),
    /// A file is uploaded whose process dies after the commit, before it stores the cursor of the load.
    Unloaded(Value),
    /// A file is uploaded whose only invocation has time for this many readings of the clock.
    CutOff(Value, u64),
    /// A file is uploaded of which one item is refused, every time, until its message is a dead letter.
    RefusedItem(Value, &'static str),
    /// An operator rebuilds the projection.
    Rebuild,
    /// The same by a process that dies before it stores the cursor of the load.
    UnloadedRebuild,
    /// An operator asks for something, and nothing tells the projector.
    Ask(Request),
    /// Time passes, in seconds.
    Pass(u64),
    /// An item is changed by hand.
    Damage(&'static str),
    /// A backup of the table is made.
    Backup,
    /// The table becomes what it was at the backup.
    Restore,
    /// An operator makes French the default culture.
    MakeFrenchDefault,
    /// An operator freezes the tenant and gives it a default culture, which waits as well. The tenant is thawed at the end.
    Freeze,
    /// A later build, with another projection format, reconciles the tenant.
    NextFormat,
}
