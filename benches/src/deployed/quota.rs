//! A share of one processor, as a function with little memory has: a control group of this machine with a quota.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Lambda gives 128 MB of its 1,769 MB for one processor: 7.2 %.
/// Source: <https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html>
const PERIOD_US: u32 = 20_000;
const QUOTA_US: u32 = 1_447;

/// A group, removed at the end.
pub(super) struct Quota {
    folder: PathBuf,
}

impl Quota {
    /// Makes a group; `None` where this process may not.
    pub(super) fn make() -> Option<Self> {
        let name = format!("taxonomy-benches-{}", std::process::id());
        let first = Path::new("/sys/fs/cgroup/cpu").join(&name);
        let second = Path::new("/sys/fs/cgroup").join(&name);
        [
            (
                first,
                vec![
                    ("cpu.cfs_period_us", PERIOD_US.to_string()),
                    ("cpu.cfs_quota_us", QUOTA_US.to_string()),
                ],
            ),
            (second, vec![("cpu.max", format!("{QUOTA_US} {PERIOD_US}"))]),
        ]
        .into_iter()
        .find_map(|(folder, settings)| {
            fs::create_dir(&folder).ok()?;
            let quota = Self { folder };
            let all_set = settings
                .iter()
                .all(|(file, setting)| fs::write(quota.folder.join(file), setting).is_ok());
            all_set.then_some(quota)
        })
    }

    /// Puts a process into the group, with all of its threads.
    pub(super) fn restrict(&self, process: u32) -> Result<(), Failure> {
        Ok(fs::write(self.folder.join("cgroup.procs"), process.to_string())?)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // A group that cannot be removed, since its process has not ended yet, has no effect.
        drop(fs::remove_dir(&self.folder));
    }
}
