//! What each package is built from, as cargo resolves it: the unification of features switches costly defaults on again without a word in a
//! manifest (docs/decisions/0004-lean-aws-stack.md has the cost of each).

use std::process::Command;

use taxonomy_tests::budget::variable;

const FUNCTIONS: [&str; 4] = ["aggregator", "lookup", "pages", "projector"];
/// `taxonomy-runtime` is one of them without its feature `sdk`.
const PURE: [&str; 7] = [
    "taxonomy-collation",
    "taxonomy-formats",
    "taxonomy-import",
    "taxonomy-index",
    "taxonomy-keys",
    "taxonomy-model",
    "taxonomy-runtime",
];

/// A package that another one is built from.
#[derive(Debug)]
struct Dependency {
    name: String,
    version: String,
    features: Vec<String>,
}

impl Dependency {
    /// Returns whether the version begins with this one, such as `0.14`.
    fn is(&self, name: &str, version: &str) -> bool {
        self.name == name && format!("{}.", self.version).starts_with(&format!("v{version}."))
    }

    fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|known| known == feature)
    }
}

/// Returns everything that a package is built from, itself included.
fn dependencies(package: &str) -> Vec<Dependency> {
    let cargo = variable("CARGO").unwrap_or_else(|| "cargo".to_owned());
    let words = "--edges normal --target x86_64-unknown-linux-gnu --prefix none --format {p}|{f} --locked";
    let tree = Command::new(cargo)
        .args(["tree", "--package", package])
        .args(words.split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let (tree, errors) = (
        String::from_utf8(tree.stdout).unwrap(),
        String::from_utf8_lossy(&tree.stderr).into_owned(),
    );
    let line = |line: &str| {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split(' ');
        Some(Dependency {
            name: words.next()?.to_owned(),
            version: words.next()?.to_owned(),
            features: features.split(',').map(str::to_owned).collect(),
        })
    };
    let found: Vec<Dependency> = tree.lines().filter_map(line).collect();
    assert!(found.iter().any(|each| each.name == package), "{errors}");
    found
}

#[test]
fn no_function_has_the_costly_defaults_of_the_sdk() {
    let costly = [
        ("aws-lc-rs", ""),
        ("aws-lc-sys", ""),
        ("hyper", "0.14"),
        ("rustls", "0.21"),
    ];
    for function in FUNCTIONS {
        let all = dependencies(function);
        for (name, version) in costly {
            let found = all.iter().find(|each| match version {
                "" => each.name == name,
                _ => each.is(name, version),
            });
            assert!(found.is_none(), "{function}: {found:?}");
        }
    }
}

/// Without `float_roundtrip` serde_json reads one double in three as its neighbour, so that metadata changes whenever it is read and written.
/// Every test is built with dependencies that switch it on, so no other test can see that it is missing. With `preserve_order` the members of
/// metadata would be stored as they were written, and one content would have several hashes.
#[test]
fn each_function_reads_doubles_exactly_and_sorts_members() {
    for function in FUNCTIONS {
        let all = dependencies(function);
        let json = all.iter().find(|each| each.name == "serde_json");
        assert!(
            json.is_some_and(|json| json.has("float_roundtrip") && !json.has("preserve_order")),
            "{function}: {json:?}"
        );
    }
}

#[test]
fn pure_crates_know_neither_aws_nor_async() {
    for package in PURE {
        let all = dependencies(package);
        let impure = all.iter().find(|each| {
            ["aws-", "aws_", "tokio", "lambda_"]
                .iter()
                .any(|prefix| each.name.starts_with(prefix))
        });
        assert!(impure.is_none(), "{package}: {impure:?}");
    }
}

/// The role of the pages has no permission, and the program has no package that could use one.
#[test]
fn the_pages_are_served_without_aws_and_without_tls() {
    let all = dependencies("pages");
    let found = all
        .iter()
        .find(|each| each.name.starts_with("aws-") || each.name.starts_with("rustls"));
    assert!(found.is_none(), "{found:?}");
}

/// Only an operator at the command line deletes a tenant: no function contains the requests.
#[test]
fn no_function_can_purge() {
    for package in FUNCTIONS.into_iter().chain(["taxonomy-cli"]) {
        let able = dependencies(package).iter().any(|each| each.has("purge"));
        assert_eq!(able, package == "taxonomy-cli", "{package}");
    }
}

/// The data of the collations are as large as all that a search needs, and the files of a version have the orders already. The aggregator has them by
/// `taxonomy-versioning`, of which it links nothing that writes files.
#[test]
fn no_answer_is_sorted_by_a_collation() {
    for package in ["lookup", "pages", "projector"] {
        let sorts = dependencies(package)
            .iter()
            .any(|each| each.name == "icu_collator");
        assert_eq!(sorts, package == "projector", "{package}");
    }
}

#[test]
fn functions_share_packages_and_not_each_other() {
    for function in FUNCTIONS {
        let all = dependencies(function);
        let other = all.iter().find(|each| {
            (FUNCTIONS.contains(&each.name.as_str()) && each.name != function)
                || each.name == "taxonomy-testkit"
        });
        assert!(other.is_none(), "{function}: {other:?}");
    }
}
