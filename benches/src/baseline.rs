//! The figures that the last commit which changed them on purpose recorded, in `benches/baseline.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use taxonomy_benches::Failure;

/// The file, from the root of the checkout.
pub(crate) const FILE: &str = "benches/baseline.json";

/// A kind of figures: its name in the file, and how far above the baseline one may be, in thousandths. Instructions repeat to a few in a
/// thousand, allocations and sizes exactly.
const KINDS: [(&str, u64); 3] = [("instructions", 10), ("allocations", 0), ("bytes", 20)];

/// Figures by kind and name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures(BTreeMap<(&'static str, String), u64>);

/// A comparison of measured figures with the baseline.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// A line for each figure that is too high, or is in one of the two alone.
    pub(crate) broken: Vec<String>,
    /// A line for each figure that is lower than the tolerance explains.
    pub(crate) better: Vec<String>,
}

impl Figures {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(&mut self, kind: &'static str, name: &str, figure: u64) {
        self.0.insert((kind, name.to_owned()), figure);
    }

    /// Reads the baseline.
    ///
    /// # Errors
    /// If the file is missing, or holds anything but figures of known kinds.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let kinds: BTreeMap<String, BTreeMap<String, u64>> = serde_json::from_str(text)?;
        let mut figures = Self::default();
        for (kind, named) in kinds {
            let known = KINDS.iter().find(|(known, _)| *known == kind);
            let (kind, _) = known.ok_or_else(|| format!("`{kind}` is no kind of figures"))?;
            named
                .iter()
                .for_each(|(name, figure)| figures.add(kind, name, *figure));
        }
        Ok(figures)
    }

    /// Writes the baseline.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(&self.to_json())?;
        writeln!(text)?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    /// Returns the figures by kind and name.
    pub(crate) fn to_json(&self) -> Value {
        let mut kinds = json!({});
        for ((kind, name), figure) in &self.0 {
            kinds[*kind][name] = Value::from(*figure);
        }
        kinds
    }

    /// Compares measured figures with these.
    pub(crate) fn compare(&self, measured: &Self) -> Comparison {
        let mut comparison = Comparison::default();
        for ((kind, name), recorded) in &self.0 {
            let tolerance = KINDS.iter().find(|(known, _)| known == kind);
            let margin = tolerance.map_or(0, |(_, thousandths)| recorded * thousandths / 1_000);
            match measured.0.get(&(*kind, name.clone())) {
                None => comparison.broken.push(format!("{kind} of {name}: not measured")),
                Some(now) if *now > recorded + margin => {
                    let line = format!(
                        "{kind} of {name}: {now}, baseline {recorded}, at most {}",
                        recorded + margin
                    );
                    comparison.broken.push(line);
                }
                Some(now) if *now + margin < *recorded => {
                    comparison
                        .better
                        .push(format!("{kind} of {name}: {now}, baseline {recorded}"));
                }
                Some(_) => {}
            }
        }
        let new = measured.0.keys().filter(|key| !self.0.contains_key(*key));
        let new = new.map(|(kind, name)| format!("{kind} of {name}: not in the baseline"));
        comparison.broken.extend(new);
        comparison
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(hit: u64, allocations: u64, bytes: u64) -> Figures {
        let mut figures = Figures::default();
        figures.add("instructions", "hit", hit);
        figures.add("allocations", "hit", allocations);
        figures.add("bytes", "lookup", bytes);
        figures
    }

    #[test]
    fn each_kind_has_its_margin() {
        let baseline = figures(100_000, 40, 5_000_000);
        let broken = |measured: &Figures| baseline.compare(measured).broken;
        assert!(broken(&figures(101_000, 40, 5_100_000)).is_empty());
        for (measured, kind) in [
            (figures(101_001, 40, 5_000_000), "instructions of hit"),
            (figures(100_000, 41, 5_000_000), "allocations of hit"),
            (figures(100_000, 40, 5_100_001), "bytes of lookup"),
        ] {
            let lines = broken(&measured);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].starts_with(kind), "{lines:?}");
        }
    }

    #[test]
    fn fewer_is_no_failure_but_a_word() {
        let compared = figures(100_000, 40, 5_000_000).compare(&figures(98_000, 39, 4_800_000));
        assert!(compared.broken.is_empty());
        assert_eq!(compared.better.len(), 3, "{:?}", compared.better);
    }

    #[test]
    fn a_figure_of_one_side_alone_is_a_failure() {
        let (mut more, baseline) = (figures(1, 1, 1), figures(1, 1, 1));
        more.add("bytes", "pages", 5);
        assert_eq!(
            baseline.compare(&more).broken,
            ["bytes of pages: not in the baseline"]
        );
        assert_eq!(more.compare(&baseline).broken, ["bytes of pages: not measured"]);
    }

    #[test]
    fn only_figures_of_known_kinds_are_read() {
        assert_eq!(Figures::parse(r#"{"bytes": {"lookup": 5}}"#).unwrap().0.len(), 1);
        for wrong in [
            r#"{"milliseconds": {"hit": 5}}"#,
            r#"{"bytes": {"lookup": "5"}}"#,
            "{",
        ] {
            assert!(Figures::parse(wrong).is_err(), "{wrong}");
        }
    }
}
