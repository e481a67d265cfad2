//! Tests of excessive numbers and sizes, and of false lengths.

use taxonomy_tests::world::small;

use super::{TERM, Upload, Victim, it};

const GIGABYTE: u64 = 1 << 30;

fn claiming(bytes: Vec<u8>, length: u64) -> Upload {
    Upload {
        claimed_length: Some(length),
        ..bytes.into()
    }
}

#[tokio::test]
async fn a_gigabyte_is_refused_from_its_length() {
    let mut victim = Victim::new().await;
    let good = small(&[(1, "IT")]);
    victim
        .upload("a gigabyte", claiming(good.clone(), GIGABYTE))
        .await;
    assert_eq!(victim.world.exchanges().count("GetObject"), 0);
    victim
        .takes("the same content again, and its true length", good)
        .await;
    victim
        .refuses(
            "a gigabyte",
            claiming(b"{".to_vec(), GIGABYTE),
            "file-too-large",
            "",
        )
        .await;
    let limit = victim.world.max_file_bytes;
    victim
        .refuses(
            "a byte too many",
            claiming(b"{".to_vec(), limit + 1),
            "file-too-large",
            "",
        )
        .await;
}

#[tokio::test]
async fn a_length_that_lies_does_not_matter() {
    let mut victim = Victim::new().await;
    let limit = usize::try_from(victim.world.max_file_bytes).unwrap();
    let large = vec![b' '; limit + 1];
    victim
        .refuses(
            "longer than declared, and too long",
            claiming(large, 10),
            "file-too-large",
            "",
        )
        .await;

    let file = small(&[(1, "Mining")]);
    victim
        .takes_upload("shorter than declared", claiming(file.clone(), 1 << 20), file)
        .await;
    let file = small(&[(1, "Teaching")]);
    victim
        .takes_upload("longer than declared", claiming(file.clone(), 0), file)
        .await;
    let mut padded = small(&[(1, "Fishing")]);
    padded.resize(limit, b' ');
    victim.takes("as much as is allowed", padded).await;
}

fn category(terms: &[String]) -> String {
    format!(
        r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{}]}}]}}"#,
        terms.join(",")
    )
}

#[tokio::test]
async fn a_node_too_many_is_refused_where_it_stands() {
    let mut victim = Victim::new().await;
    victim.world.max_file_bytes = 64 << 20;
    // The category counts as one of the nodes.
    let terms: Vec<String> = (0..1_100_100)
        .map(|id| format!(r#"{{"id":{id},"name":"{id}"}}"#))
        .collect();
    victim
        .refuses(
            "too many terms",
            category(&terms),
            "too-many-nodes",
            "/categories/0/terms/1099999",
        )
        .await;
}

#[tokio::test]
async fn a_file_in_too_many_cultures_is_refused() {
    let mut victim = Victim::new().await;
    let term = |n: usize| {
        format!(
            r#"{{"id":{n},"name":"T{n}","names":[{{"culture":"en-x-{n}-aaaaaaaa-bbbbbbbb","name":"T"}}]}}"#
        )
    };
    let terms: Vec<String> = (0..40_000).map(term).collect();
    victim
        .refuses(
            "40,000 cultures",
            category(&terms),
            "too-many-values",
            "/categories/0/terms/500/names/0",
        )
        .await;
}

#[tokio::test]
async fn metadata_ends_at_its_limit_whatever_it_is_made_of() {
    let mut victim = Victim::new().await;
    let members: Vec<String> = (0..500_000).map(|n| format!(r#""{n}":0"#)).collect();
    let pointer = format!("{TERM}/metadata");
    for (what, metadata) in [
        ("many small members", format!("{{{}}}", members.join(","))),
        (
            "many empty lists",
            format!(r#"{{"a":[{}[]]}}"#, "[],".repeat(1_000_000)),
        ),
        ("one long text", format!(r#"{{"a":"{}"}}"#, "x".repeat(8 << 20))),
        ("one long key", format!(r#"{{"{}":1}}"#, "x".repeat(8 << 20))),
    ] {
        let file = it(&format!(r#""metadata":{metadata}"#));
        victim.refuses(what, file, "metadata-too-large", &pointer).await;
    }
}

#[tokio::test]
async fn values_of_a_node_end_at_their_limit() {
    let mut victim = Victim::new().await;
    let list = |values: Vec<String>| values.join(",");
    let names = |n: usize| {
        list(
            (0..n)
                .map(|n| format!(r#"{{"culture":"en-x-{n}","name":"IT"}}"#))
                .collect(),
        )
    };
    let alt = |n: usize| {
        list(
            (0..n)
                .map(|n| format!(r#"{{"culture":"en-GB","name":"IT {n}"}}"#))
                .collect(),
        )
    };
    let ids = |n: usize| list((100..100 + n).map(|id| id.to_string()).collect());
    for (field, most, values) in [
        ("names", 500, &names as &dyn Fn(usize) -> String),
        ("altNames", 100, &alt),
        ("replacedBy", 50, &ids),
    ] {
        let file = |n: usize| it(&format!(r#""{field}":[{}]"#, values(n)));
        let pointer = format!("{TERM}/{field}/{most}");
        victim
            .refuses(
                &format!("{field}: {most} and one more"),
                file(most + 1),
                "too-many-values",
                &pointer,
            )
            .await;
        if field == "names" {
            // The plain name counts as one of them.
            victim.takes(field, file(most - 1).into()).await;
        } else {
            victim.takes(field, file(most).into()).await;
        }
    }
}

/// The longest names of a category that is named in 500 cultures and has the maximum of everything else, in characters.
const LONGEST: usize = 402;

/// The limits of the values bound an item: the largest term and the largest category that the format accepts are stored. The model's own
/// tests check the exact byte at which a category is refused.
#[tokio::test]
async fn no_item_is_too_large() {
    let mut victim = Victim::new().await;
    let name = "\u{10348}".repeat(500);
    let path = "\u{10348}".repeat(512);
    let alt_names: Vec<String> = (0..75)
        .map(|n| {
            format!(
                r#"{{"culture":"en-GB","name":"{}{n:03}"}}"#,
                "\u{10348}".repeat(497)
            )
        })
        .collect();
    let culture = |n: usize| match n {
        0 => "en-GB".to_owned(),
        n => format!("en-x-{n:03}-aaaaaaaa-bbbbbbbb-cccc"),
    };
    let names: Vec<String> = (0..3)
        .map(|n| {
            format!(
                r#"{{"culture":"{}","name":"{name}","path":"{path}"}}"#,
                culture(n)
            )
        })
        .collect();
    // Three long names, and in the other 497 cultures the length with which the item is the largest.
    let all_names = |len: usize| -> Vec<String> {
        let further =
            (3..500).map(|n| format!(r#"{{"culture":"{}","name":"{}"}}"#, culture(n), "a".repeat(len)));
        names.iter().cloned().chain(further).collect()
    };
    let largest = |names: &[String]| {
        let (names, alt_names, metadata) = (names.join(","), alt_names.join(","), "x".repeat(8184));
        let sort_key = "s".repeat(200);
        format!(
            r#""names":[{names}],"altNames":[{alt_names}],"metadata":{{"a":"{metadata}"}},"sortKey":"{sort_key}""#
        )
    };
    let mut node = String::new();
    for depth in (0..32).rev() {
        // Three cultures below, so that responses in further cultures have their whole lineage too.
        let fields = if depth == 31 {
            largest(&names[..3])
        } else {
            format!(r#""names":[{}],"children":[{node}]"#, names[..3].join(","))
        };
        node = format!(r#"{{"id":{depth},{fields}}}"#);
    }
    let file = |len: usize| {
        let category = largest(&all_names(len));
        format!(r#"{{"categories":[{{"id":1,{category},"terms":[{node}]}}]}}"#)
    };
    victim
        .refuses(
            "a byte more in each culture of the category",
            file(LONGEST + 1),
            "category-too-large",
            "/categories/0",
        )
        .await;
    victim
        .takes("the largest items of the format", file(LONGEST).into())
        .await;
}
