//! The evaluation of an alarm by CloudWatch (user guide, "Evaluating an alarm"): M of the last N periods with their statistic over the threshold.

use std::collections::BTreeMap;

use serde_yaml_ng::Value;

use super::series::Series;

/// An alarm of the template.
pub(super) struct Alarm {
    pub(super) name: String,
    /// The namespace, the metric and the resources of its dimensions.
    pub(super) watches: String,
    statistic: String,
    period: u64,
    of: u64,
    datapoints: u64,
    threshold: f64,
}

impl Alarm {
    pub(super) fn read(name: &str, properties: &Value) -> Self {
        let text = |name: &str| properties[name].as_str().unwrap().to_owned();
        let number = |name: &str| properties[name].as_u64();
        let dimensions = properties["Dimensions"].as_sequence().unwrap();
        let resources = dimensions.iter().map(|dimension| {
            let value = dimension["Value"].as_str().unwrap();
            value.split('.').next().unwrap()
        });
        let resource = resources.collect::<Vec<_>>().join(" ");
        assert_eq!(text("ComparisonOperator"), "GreaterThanThreshold", "{name}");
        let of = number("EvaluationPeriods").unwrap();
        Self {
            name: name.to_owned(),
            watches: format!("{} {} {resource}", text("Namespace"), text("MetricName")),
            statistic: text(if properties["Statistic"].is_null() {
                "ExtendedStatistic"
            } else {
                "Statistic"
            }),
            period: number("Period").unwrap(),
            of,
            datapoints: number("DatapointsToAlarm").unwrap_or(of),
            threshold: properties["Threshold"].as_f64().unwrap(),
        }
    }

    /// Returns the seconds after which it fires at the latest, wherever its periods begin; `None` if it may never fire.
    pub(super) fn fires(&self, series: &Series) -> Option<u64> {
        let starts = (0..self.period).step_by(60);
        starts
            .map(|early| self.fires_with_periods(early, series))
            .try_fold(0, |latest, fires| Some(latest.max(fires?)))
    }

    /// Returns the same for periods of which the first begins `early` seconds before the cause.
    fn fires_with_periods(&self, early: u64, series: &Series) -> Option<u64> {
        let mut periods: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (at, value) in series {
            periods
                .entry((at + early) / self.period)
                .or_default()
                .push(*value);
        }
        let over = |values: &Vec<f64>| match self.statistic.as_str() {
            "Sum" => values.iter().sum::<f64>() > self.threshold,
            "Average" => {
                let count = f64::from(u32::try_from(values.len()).unwrap());
                values.iter().sum::<f64>() / count > self.threshold
            }
            "Maximum" => values.iter().any(|value| *value > self.threshold),
            "p99" => {
                let over = values.iter().filter(|value| **value > self.threshold).count();
                over * 100 > values.len()
            }
            other => panic!("{}: statistic {other} is not modelled", self.name),
        };
        let over: Vec<u64> = periods
            .iter()
            .filter(|(_, values)| over(values))
            .map(|(period, _)| *period)
            .collect();
        let needed = usize::try_from(self.datapoints).unwrap();
        let enough = over
            .windows(needed)
            .find(|these| these[needed - 1] - these[0] < self.of)?;
        Some((enough[needed - 1] + 1) * self.period - early)
    }
}
