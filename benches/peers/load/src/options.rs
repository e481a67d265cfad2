//! The command line.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// How to use the program.
pub(crate) const USAGE: &str = "load --lookup PROGRAM --projector PROGRAM --data FOLDER \
    [--seconds 60] [--processes 3] [--rate 300] [--every 30] [--seed 1] [--versions 400]";

/// The options of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) lookup: PathBuf,
    pub(crate) projector: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) time: Duration,
    pub(crate) processes: u32,
    /// Requests a second, of all processes together.
    pub(crate) rate: u32,
    /// The time between two publications; after each second one it is three times as long, so that responses come from the table too.
    pub(crate) every: Duration,
    pub(crate) seed: u64,
    /// The most versions, whose contents are kept in memory.
    pub(crate) versions: u64,
}

impl Options {
    /// Parses names and values.
    ///
    /// # Errors
    /// Names the option that is missing or invalid.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut given = HashMap::new();
        let mut arguments = arguments;
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} has no value"))?;
            given.insert(name, value);
        }
        let mut path = |name: &str| {
            given
                .remove(name)
                .map(PathBuf::from)
                .ok_or_else(|| format!("{name} is missing"))
        };
        let (lookup, projector, data) = (path("--lookup")?, path("--projector")?, path("--data")?);
        let mut number = |name: &str, usual: u32, range: std::ops::RangeInclusive<u32>| match given
            .remove(name)
        {
            None => Ok(usual),
            Some(text) => {
                let number = text.parse().ok().filter(|number| range.contains(number));
                number.ok_or_else(|| format!("{name} is a number from {} to {}", range.start(), range.end()))
            }
        };
        let options = Self {
            lookup,
            projector,
            data,
            time: Duration::from_secs(number("--seconds", 60, 1..=86_400)?.into()),
            processes: number("--processes", 3, 1..=64)?,
            rate: number("--rate", 300, 1..=100_000)?,
            every: Duration::from_secs(number("--every", 30, 3..=3_600)?.into()),
            seed: number("--seed", 1, 0..=u32::MAX)?.into(),
            versions: number("--versions", 400, 1..=2_000)?.into(),
        };
        match given.keys().next() {
            Some(unknown) => Err(format!("{unknown} is unknown")),
            None => Ok(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_have_defaults_and_bounds() {
        let options = parse("--lookup a --projector b --data c --rate 50").unwrap();
        assert_eq!(
            (options.rate, options.processes, options.time),
            (50, 3, Duration::from_secs(60))
        );
        let refused = |more: &str| parse(&format!("--lookup a --projector b --data c {more}")).unwrap_err();
        assert_eq!(refused("--every 1"), "--every is a number from 3 to 3600");
        assert_eq!(refused("--what 1"), "--what is unknown");
        assert_eq!(refused("--rate"), "--rate has no value");
        assert_eq!(
            parse("--lookup a --data c").unwrap_err(),
            "--projector is missing"
        );
    }
}
