//! The architecture rules that a test can check.

use std::fs;
use std::path::{Path, PathBuf};

const FUNCTIONS: [&str; 4] = ["projector", "aggregator", "lookup", "pages"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn members() -> Vec<PathBuf> {
    let mut members = ["tests", "benches", "cli"]
        .map(|folder| root().join(folder))
        .to_vec();
    for folder in ["functions", "shared"] {
        let entries = fs::read_dir(root().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        members.extend(entries.filter(|path| path.join("Cargo.toml").exists()));
    }
    assert!(members.len() >= 10, "{members:?}");
    members
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

#[test]
fn a_package_is_called_like_its_folder_and_shares_versions_and_lints() {
    for member in members() {
        let manifest = fs::read_to_string(member.join("Cargo.toml")).unwrap();
        let folder = member.file_name().unwrap().to_str().unwrap();
        let name = match folder {
            "tests" | "benches" | "cli" => format!("taxonomy-{folder}"),
            _ => folder.to_owned(),
        };
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{folder}");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{folder}: lints");
        assert!(manifest.contains("publish.workspace = true"), "{folder}: publish");
        // A crate may have no dependencies.
        let dependencies = manifest.split_once("dependencies]").map_or("", |(_, rest)| rest);
        assert!(
            !dependencies.contains("version ="),
            "{folder}: versions are set in the workspace"
        );
    }
}

/// The packages of the project that a manifest names as `[dependencies]`.
fn dependencies(manifest: &str, packages: &[String]) -> Vec<String> {
    let section = manifest
        .split_once("\n[dependencies]\n")
        .map_or("", |(_, rest)| rest);
    let section = section.split("\n[").next().unwrap_or_default();
    let names = section
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut names: Vec<String> = names
        .filter(|name| packages.iter().any(|package| package == name))
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

#[test]
fn the_table_of_dependencies_is_that_of_the_manifests() {
    let manifests: Vec<(String, String)> = members()
        .iter()
        .filter(|member| !member.ends_with("tests"))
        .map(|member| {
            let manifest = fs::read_to_string(member.join("Cargo.toml")).unwrap();
            let name = manifest.split_once("name = \"").unwrap().1;
            let name = name.split_once('"').unwrap().0.to_owned();
            (name, manifest)
        })
        .collect();
    let packages: Vec<String> = manifests.iter().map(|(name, _)| name.clone()).collect();
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, table) = page.split_once("### Dependencies").unwrap();
    let rows = table
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with("| `"));
    let mut above: Vec<&str> = Vec::new();
    for row in rows {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let (package, stated) = names.split_first().unwrap();
        let manifest = manifests.iter().find(|(name, _)| name == package);
        let (_, manifest) = manifest.unwrap_or_else(|| panic!("{package} is no package"));
        assert_eq!(dependencies(manifest, &packages), stated, "{package}");
        for name in stated {
            assert!(above.contains(name), "{package} is above {name}");
        }
        above.push(package);
    }
    above.sort_unstable();
    let mut all: Vec<&str> = packages.iter().map(String::as_str).collect();
    all.sort_unstable();
    assert_eq!(above, all, "a package without a row");
}

#[test]
fn entry_points_only_wire_and_run() {
    for function in FUNCTIONS {
        let main = fs::read_to_string(root().join(format!("functions/{function}/src/main.rs"))).unwrap();
        assert!(
            main.lines().count() <= 30,
            "{function}: {} lines",
            main.lines().count()
        );
        assert!(
            !main.contains("if ") && !main.contains("match "),
            "{function} decides something"
        );
    }
}

/// Clients of AWS are made in `wiring.rs` of each function, and nowhere else.
#[test]
fn clients_are_made_in_one_room_of_a_function() {
    let mut wired = Vec::new();
    for function in FUNCTIONS {
        for source in sources(&root().join(format!("functions/{function}/src"))) {
            let is_wiring = source.ends_with("wiring.rs");
            let makes_clients = fs::read_to_string(&source).unwrap().contains("sdk_config(");
            assert!(!makes_clients || is_wiring, "{}", source.display());
            wired.extend(is_wiring.then_some(function));
        }
    }
    wired.sort_unstable();
    assert_eq!(wired, ["aggregator", "lookup", "projector"]);
}

/// The package that decides holds no type of the SDK: stores are given to it.
#[test]
fn deciding_knows_no_sdk() {
    let package = root().join("shared/taxonomy-versioning");
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("\naws-"), "{manifest}");
    for source in sources(&package.join("src")) {
        let text = fs::read_to_string(&source).unwrap();
        assert!(!text.contains("aws_"), "{}", source.display());
    }
}

/// A text with the prefix of a key outside `taxonomy-keys` would build a key by hand.
#[test]
fn keys_are_built_in_one_room() {
    let words = [
        "TERM#",
        "CATEGORY#",
        "TAXONOMY#",
        "STATS#",
        "CHILDREN#",
        "CATEGORIES#",
        "CULTURE#",
        "CHANGESET#",
    ];
    for member in members()
        .into_iter()
        .filter(|member| !member.ends_with("taxonomy-keys") && !member.ends_with("tests"))
    {
        for source in sources(&member.join("src")) {
            let text = fs::read_to_string(&source).unwrap();
            let code = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
            for line in code.filter(|line| !line.trim_start().starts_with("//")) {
                assert!(
                    !words.iter().any(|word| line.contains(word)),
                    "{}: {line}",
                    source.display()
                );
            }
        }
    }
}

#[test]
fn functions_know_nothing_of_each_other() {
    for function in FUNCTIONS {
        let manifest = fs::read_to_string(root().join(format!("functions/{function}/Cargo.toml"))).unwrap();
        let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
        let others = FUNCTIONS.map(|other| format!("{other}."));
        assert!(
            !others
                .iter()
                .any(|other| dependencies.lines().any(|line| line.starts_with(other))),
            "{function}"
        );
        let (dependencies, _) = dependencies
            .split_once("[dev-dependencies]")
            .unwrap_or((dependencies, ""));
        assert!(!dependencies.contains("testkit"), "{function} ships test code");
    }
}

#[test]
fn rooms_stay_small() {
    for member in members() {
        for source in sources(&member.join("src")) {
            let lines = fs::read_to_string(&source).unwrap().lines().count();
            assert!(lines <= 500, "{} has {lines} lines", source.display());
        }
    }
}

/// A spawned task outlives the future that awaits it: a frozen Lambda resumes it in the next invocation.
#[test]
fn nothing_is_left_running() {
    for member in members() {
        let folder = member.file_name().unwrap().to_str().unwrap();
        if ["taxonomy-testkit", "tests", "benches"].contains(&folder) {
            continue;
        }
        for source in sources(&member.join("src")) {
            let text = fs::read_to_string(&source).unwrap();
            for word in [
                "tokio::spawn",
                "spawn_local",
                "spawn_blocking",
                "thread::spawn",
                "thread::Builder",
            ] {
                // The command line ends with its process, and has one file for blocking work. The thread that writes a download ends before the
                // invocation does, or at its next part when it is dropped; its own tests check both.
                let is_meant = word == "spawn_blocking" && source.ends_with("cli/src/blocking.rs")
                    || word == "thread::Builder" && source.ends_with("taxonomy-versioning/src/parts.rs");
                assert!(is_meant || !text.contains(word), "{}: {word}", source.display());
            }
        }
    }
}

/// Only an operator at the command line deletes a tenant.
#[test]
fn no_function_can_purge() {
    let mut manifests: Vec<PathBuf> = FUNCTIONS
        .map(|function| root().join(format!("functions/{function}/Cargo.toml")))
        .to_vec();
    // A dependency of the functions could switch the feature on for them.
    let shared = fs::read_dir(root().join("shared")).unwrap();
    let shared = shared.map(|entry| entry.unwrap().path().join("Cargo.toml"));
    manifests.extend(shared.filter(|manifest| manifest.exists()));
    manifests.push(root().join("Cargo.toml"));
    assert!(manifests.len() > 10, "{manifests:?}");
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).unwrap();
        let name = manifest.display();
        let switched_on = |line: &&str| line.contains("\"purge\"") || line.contains("/purge\"");
        let found: Vec<&str> = text.lines().filter(switched_on).collect();
        let expect: &[&str] = match manifest.ends_with("taxonomy-versioning/Cargo.toml") {
            true => &["purge = [\"taxonomy-store/purge\"]"],
            false => &[],
        };
        assert_eq!(found, expect, "{name}");
        assert!(
            !text.lines().any(|line| line.starts_with("default =")),
            "{name}: default features"
        );
    }
}

/// Only the files of the purge contain deletions, and no function is built with them.
#[test]
fn only_a_purge_deletes() {
    for member in members() {
        let folder = member.file_name().unwrap().to_str().unwrap();
        if ["taxonomy-testkit", "tests"].contains(&folder) {
            continue;
        }
        for source in sources(&member.join("src")) {
            let text = fs::read_to_string(&source).unwrap();
            let is_purge = ["purge.rs", "purge_objects.rs"]
                .iter()
                .any(|name| source.ends_with(name));
            let found: Vec<&str> = [
                ".delete_item()",
                ".batch_write_item()",
                ".delete_objects()",
                ".delete_object()",
            ]
            .into_iter()
            .filter(|call| text.contains(call))
            .collect();
            assert!(found.is_empty() || is_purge, "{}: {found:?}", source.display());
        }
    }
}

/// Known mistakes are patches under `tests/mutants/`.
#[test]
fn no_package_contains_a_mutant() {
    for member in members() {
        for source in sources(&member.join("src")) {
            let text = fs::read_to_string(&source).unwrap();
            assert!(!text.contains("mutant::"), "{}", source.display());
        }
    }
}

/// The role of the pages has no permission, and the program has no dependency that could use one.
#[test]
fn the_pages_are_served_without_aws() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let packages: Vec<Vec<&str>> = lock
        .split("[[package]]")
        .map(|package| package.lines().map(str::trim).collect())
        .collect();
    let (mut reached, mut waiting) = (Vec::new(), vec!["pages"]);
    while let Some(name) = waiting.pop() {
        if reached.contains(&name) {
            continue;
        }
        reached.push(name);
        let named = format!("name = \"{name}\"");
        for package in packages.iter().filter(|package| package.contains(&&*named)) {
            let dependencies = package
                .iter()
                .skip_while(|line| **line != "dependencies = [")
                .skip(1);
            let dependencies = dependencies.take_while(|line| **line != "]");
            waiting.extend(dependencies.map(|line| {
                let line = line.trim_matches(['"', ',']);
                line.split(' ').next().unwrap()
            }));
        }
    }
    assert!(
        reached.len() > 20 && reached.contains(&"taxonomy-pages"),
        "{reached:?}"
    );
    let forbidden: Vec<&&str> = reached
        .iter()
        .filter(|name| name.starts_with("aws-") || name.starts_with("rustls") || **name == "taxonomy-runtime")
        .collect();
    assert!(forbidden.is_empty(), "{forbidden:?}");
}
