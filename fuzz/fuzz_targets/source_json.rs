//! The input file: any bytes are taken or refused with a report, and what is taken is one version in every form of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taxonomy_model::attribute::billed_size;
use taxonomy_model::{Code, Defaults, Limits, Parsed, Report, apply, diff, items, parse, snapshot};

/// Small, so that the bound is met by files of a few hundred bytes.
const NODES: usize = 20;

fuzz_target!(|file: &[u8]| {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().expect("a culture"),
        fallback_chain: Vec::new(),
    };
    match parse(file, &defaults, Limits { nodes: NODES }) {
        Ok(Parsed { taxonomy, report, .. }) => {
            check_report(&report, true);
            assert!(taxonomy.categories().count() + taxonomy.terms().count() <= NODES);
            let mut stored = Vec::new();
            let hash = snapshot::write(&taxonomy, &mut stored).expect("memory takes everything");
            let (again, _) = snapshot::read(&*stored).expect("what was written can be read");
            assert_eq!(snapshot::hash(&again), hash);
            assert!(diff(Some(&taxonomy), &taxonomy).is_empty());
            assert!(diff(Some(&taxonomy), &again).is_empty());
            let facts = diff(None, &taxonomy);
            let applied = apply(None, &facts).expect("facts make the version they were made of");
            assert_eq!(snapshot::hash(&applied), hash);
            let tenant = "acme".parse().expect("a tenant");
            let categories = taxonomy
                .categories()
                .map(|category| items::of_category(&tenant, category));
            let terms = taxonomy.terms().flat_map(|term| items::of_term(&tenant, term));
            for item in categories.chain(terms) {
                let key = item.key.key();
                // DynamoDB's limits: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
                assert!(key.pk.len() <= 2048 && key.sk.len() <= 1024);
                assert!(billed_size(&item.attributes) <= items::MAX_BYTES);
            }
        }
        Err(report) => check_report(&report, false),
    }
});

fn check_report(report: &Report, accepted: bool) {
    assert_eq!(report.accepted, accepted);
    assert_eq!(report.errors == 0, accepted);
    assert!(report.issues.len() as u64 <= 2 * Report::LISTED);
    let too_many = |issue: &&taxonomy_model::Issue| issue.code == Code::TooManyNodes;
    assert!(report.issues.iter().filter(too_many).count() <= 1);
    let json = serde_json::to_vec(report).expect("a report is JSON");
    assert!(json.len() < 1 << 20, "a report of {} bytes", json.len());
}
