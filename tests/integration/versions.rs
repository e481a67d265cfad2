//! Tests that the table and a version's index file contain the same: while the version is served, and after ten more
//! versions.

use std::collections::BTreeMap;

use lookup::files::{Branch, VersionFile, VersionFiles, Walk};
use taxonomy_collation::sibling_keys;
use taxonomy_index::Expected;
use taxonomy_index::search::Deprecated;
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version, fallback};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{Hash, Siblings, Taxonomy, Term};
use taxonomy_store::{Archive, Consistency, Reader, Table, TermItem};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_tests::budget::scaled;
use taxonomy_tests::world::{TENANT, World, read, sample, small};

fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}

fn expected<'a>(tenant: &'a TenantId, version: Version, changeset: &'a Hash) -> Expected<'a> {
    Expected {
        tenant,
        version,
        changeset,
    }
}

/// The results of every read that a source supports.
#[derive(Debug, PartialEq)]
struct Answers {
    terms: BTreeMap<(u64, String), Option<StoredTerm>>,
    categories: BTreeMap<u64, Option<StoredCategory>>,
}

/// The ids and cultures to read: all that any of the files has, and some that none has.
struct Questions {
    terms: Vec<TermId>,
    categories: Vec<CategoryId>,
    cultures: Vec<Culture>,
}

impl Questions {
    fn of(files: &[Vec<u8>]) -> Self {
        let mut questions = Self {
            terms: vec![TermId::MAX],
            categories: vec![CategoryId::MAX],
            cultures: vec!["zu-ZA".parse().unwrap()],
        };
        for file in files {
            let taxonomy = read(file);
            let every = scaled(12, 1);
            let terms = taxonomy.terms().map(|term| term.id());
            questions.terms.extend(terms.step_by(every));
            questions
                .categories
                .extend(taxonomy.categories().map(|category| category.id()));
            questions.cultures.extend(taxonomy.cultures().iter().cloned());
        }
        questions.terms.sort_unstable();
        questions.terms.dedup();
        questions.categories.sort_unstable();
        questions.categories.dedup();
        questions.cultures.sort_unstable();
        questions.cultures.dedup();
        questions
    }
}

/// Reads the served version from the table: of a culture the items that have its names.
async fn by_table(world: &World, questions: &Questions) -> Answers {
    let (reader, tenant) = (Reader::new(Table::new(world.db.client(), TABLE)), tenant());
    let head = world.committed(TENANT).await;
    let mut terms = BTreeMap::new();
    for culture in &questions.cultures {
        let (chain, default) = (&head.settings.fallback_chain, &head.settings.default_culture);
        let order = fallback(culture, &head.cultures, chain, default);
        let item_of = (order.len() > 1).then(|| order[0].clone());
        if fallback(&order[0], &head.cultures, chain, default) != order {
            continue;
        }
        for id in &questions.terms {
            let item = TermItem {
                id: *id,
                culture: item_of.clone(),
            };
            let found = reader
                .term_items(&tenant, &[item], Consistency::Strong)
                .await
                .unwrap();
            let found = found.into_iter().next().unwrap().unwrap().value;
            if found.is_some() || item_of.is_none() {
                terms.insert((id.get(), culture.to_string()), found);
            }
        }
    }
    let mut categories = BTreeMap::new();
    for id in &questions.categories {
        let found = reader.category(&tenant, *id, Consistency::Strong).await.unwrap();
        categories.insert(id.get(), found.value);
    }
    Answers { terms, categories }
}

/// Reads a version from its file.
async fn by_file(file: &VersionFile<'_>, questions: &Questions) -> Answers {
    let settings = file.footer().settings();
    let mut terms = BTreeMap::new();
    for culture in &questions.cultures {
        let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
        let order = fallback(culture, file.footer().cultures(), chain, default);
        let mut found = file.terms(&questions.terms, &order).await.unwrap();
        terms.extend(
            questions
                .terms
                .iter()
                .map(|id| ((id.get(), culture.to_string()), found.remove(id))),
        );
    }
    let mut categories = BTreeMap::new();
    for id in &questions.categories {
        categories.insert(id.get(), file.category(*id).await.unwrap());
    }
    Answers { terms, categories }
}

/// Checks that a file has what the table had, and returns the number of terms that the table had.
fn check(by_file: &Answers, by_table: &Answers, version: Version) -> usize {
    assert!(
        by_file.categories == by_table.categories,
        "categories of version {version}"
    );
    for (asked, term) in &by_table.terms {
        assert_eq!(by_file.terms.get(asked), Some(term), "version {version}");
    }
    by_table.terms.len()
}

/// Returns all ids of a list that is read page by page.
async fn all<K>(read: impl AsyncFn(Option<u32>) -> (Vec<K>, Option<u32>)) -> Vec<K> {
    let (mut ids, mut from) = (Vec::new(), None);
    for _ in 0..1_000 {
        let (page, next) = read(from).await;
        ids.extend(page);
        if next.is_none() {
            return ids;
        }
        from = next;
    }
    panic!("the list does not end");
}

/// Uploads and projects a file without a removal limit.
async fn push(world: &World, file: &[u8]) {
    let key = format!("taxonomies/{TENANT}.json");
    let allowed = [("allow-removals", "true")];
    world
        .s3
        .put_with(SOURCE_BUCKET, &key, file.to_vec(), None, &allowed);
    let event = sns_event(&[world.s3.event(SOURCE_BUCKET, &key)]);
    world.deliver(event).await.unwrap();
}

fn files() -> Vec<Vec<u8>> {
    let mut files = vec![
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
        sample("job-board-v1.json"),
        br#"{"defaultCulture":"en-GB","categories":[]}"#.to_vec(),
        sample("job-board-v2.json"),
    ];
    files.extend((0..6).map(|n| small(&[(1, "One"), (2 + n, &format!("Two {n}")), (101, "Nearly")])));
    files
}

#[tokio::test]
async fn a_file_answers_as_the_table_did_while_its_version_was_served() {
    let (world, files) = (World::new(), files());
    let questions = Questions::of(&files);
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let mut served = Vec::new();
    for file in &files {
        push(&world, file).await;
        served.push(by_table(&world, &questions).await);
        let head = world.committed(TENANT).await;
        let opened = versions
            .open(
                &head.index_key,
                expected(&tenant(), head.version, &head.changeset),
            )
            .await
            .unwrap();
        let answers = by_file(&opened, &questions).await;
        check(&answers, served.last().unwrap(), head.version);
    }
    assert_eq!(world.committed(TENANT).await.version.get(), 11);
    let (mut version, mut by_the_table) = (Version::FIRST, 0);
    let asked = served.len() * questions.terms.len() * questions.cultures.len();
    for served in served {
        let entry = world.heads().entry(&tenant(), version).await.unwrap().unwrap();
        let opened = versions
            .open(&entry.index_key, expected(&tenant(), version, &entry.changeset))
            .await
            .unwrap();
        let answers = by_file(&opened, &questions).await;
        by_the_table += check(&answers, &served, version);
        version = version.next();
    }
    assert!(
        by_the_table * 3 > asked,
        "{by_the_table} of {asked} from the table"
    );
}

#[tokio::test]
async fn a_term_of_a_small_file_takes_one_read_and_then_none() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    let id = read(&file).terms().next().unwrap().id();
    world.push(TENANT, &file).await;
    let head = world.committed(TENANT).await;
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
    world.exchanges().clear();
    for _ in 0..2 {
        let file = versions
            .open(
                &head.index_key,
                expected(&tenant(), head.version, &head.changeset),
            )
            .await
            .unwrap();
        assert_eq!(file.terms(&[id], &[]).await.unwrap().len(), 1);
    }
    // A small file lies completely in its last bytes.
    assert_eq!(world.exchanges().count("GetObject"), 1);
}

#[tokio::test]
async fn a_moment_leads_to_the_version_that_was_in_force() {
    let world = World::new();
    let mut times = Vec::new();
    for n in 0..6 {
        world.push(TENANT, &small(&[(1, &format!("One {n}"))])).await;
        times.push(world.committed(TENANT).await.committed_at);
        world.pass(10);
    }
    // A file cannot contain the time of its own commit.
    times.pop();
    let head = world.committed(TENANT).await;
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let file = versions
        .open(
            &head.index_key,
            expected(&tenant(), head.version, &head.changeset),
        )
        .await
        .unwrap();
    let at = async |time: u64| file.version_at(time).await.unwrap().map(Version::get);
    assert_eq!(at(times[0] - 1).await, None);
    for (position, time) in times.iter().enumerate() {
        let version = position as u64 + 1;
        assert_eq!(at(*time).await, Some(version));
        assert_eq!(at(*time + 1).await, Some(version));
        assert_eq!(
            at(*time - 1).await,
            version.checked_sub(1).filter(|before| *before > 0)
        );
    }
    assert_eq!(at(u64::MAX).await, Some(5));
}

#[tokio::test]
async fn pages_of_lists_are_the_siblings_in_their_order() {
    let (world, files) = (World::new(), files());
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let (mut seen, mut own_orders) = (0, 0);
    for of in &files {
        push(&world, of).await;
        let (head, taxonomy) = (world.committed(TENANT).await, read(of));
        let opened = versions
            .open(
                &head.index_key,
                expected(&tenant(), head.version, &head.changeset),
            )
            .await;
        let file = opened.unwrap();
        for culture in taxonomy.cultures() {
            seen += compare_pages(&file, &taxonomy, culture).await;
            own_orders += usize::from(file.order_for(std::slice::from_ref(culture)).is_some());
        }
    }
    assert!(seen > 500 && own_orders > 2, "{seen} {own_orders}");
}

/// Reads all lists of a version in the order of a culture, page by page, and returns the number of terms.
async fn compare_pages(file: &VersionFile<'_>, taxonomy: &Taxonomy, culture: &Culture) -> usize {
    let keys = sibling_keys(taxonomy, culture);
    let siblings = Siblings::new(taxonomy, &*keys);
    let order = file.order_for(std::slice::from_ref(culture));
    let categories = siblings.categories().iter().map(|one| one.id());
    let categories: Vec<CategoryId> = categories.collect();
    let paged = all(async |from| {
        let page = file
            .categories(Deprecated::Include, 3, order, from)
            .await
            .unwrap();
        let ids = page.items.iter();
        let ids = ids.map(|listed| listed.node.category().unwrap().id());
        (ids.collect(), page.next)
    });
    assert_eq!(paged.await, categories, "{culture}");
    let mut seen = 0;
    let below = taxonomy.terms().map(|term| Branch::Below(term.id()));
    for branch in categories.into_iter().map(Branch::Category).chain(below) {
        for (depth, deprecated) in [
            (1, Deprecated::Include),
            (32, Deprecated::Include),
            (2, Deprecated::Exclude),
        ] {
            let mut expect = Vec::new();
            walk_siblings(&siblings, branch, depth, &mut expect);
            let is_listed =
                |term: &Term<'_>| deprecated == Deprecated::Include || !term.node.details().deprecated;
            let expect = expect.into_iter().filter(is_listed).map(|term| term.id());
            let expect: Vec<TermId> = expect.collect();
            let paged = all(async |from| {
                let walk = Walk {
                    branch,
                    depth,
                    deprecated,
                    limit: 3,
                    order,
                    from,
                };
                let page = file.walk(walk).await.unwrap().unwrap();
                let ids = page.items.iter();
                let ids = ids.map(|listed| listed.node.term().unwrap().id());
                (ids.collect(), page.next)
            });
            seen += expect.len();
            assert_eq!(paged.await, expect, "{branch:?} to {depth} in {culture}");
        }
    }
    seen
}

/// Adds the terms of a branch down to a depth, each before its children.
fn walk_siblings<'t>(siblings: &Siblings<'t>, branch: Branch, depth: u8, terms: &mut Vec<Term<'t>>) {
    let list = match branch {
        Branch::Category(id) => siblings.top_terms(id),
        Branch::Below(id) => siblings.children(id),
    };
    for term in list {
        terms.push(*term);
        if depth > 1 {
            walk_siblings(siblings, Branch::Below(term.id()), depth - 1, terms);
        }
    }
}
