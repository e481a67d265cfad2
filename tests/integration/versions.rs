//! Tests that the table and a version's index file contain the same: while the version is served, and after ten more
//! versions.

use std::collections::BTreeMap;

use taxonomy_index::Expected;
use taxonomy_keys::{CategoryId, Culture, List, ListPosition, Order, TenantId, TermId, Version, fallback};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{Hash, place_of_category, place_of_term};
use taxonomy_store::{Archive, Consistency, Reader, Table, TermItem};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_tests::budget::scaled;
use taxonomy_tests::world::{TENANT, World, read, sample, small};
use taxonomy_version_reader::{ListRow, Page, VersionFile, Versions};

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

/// The results of every read that both support.
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

    fn lists(&self) -> Vec<List> {
        let top = self.categories.iter().copied().map(List::TopTerms);
        top.chain(self.terms.iter().copied().map(List::Children))
            .collect()
    }
}

/// Reads the served version from the table.
async fn by_table(world: &World, questions: &Questions) -> Answers {
    let (reader, tenant) = (Reader::new(Table::new(world.db.client(), TABLE)), tenant());
    let head = world.committed(TENANT).await;
    let mut terms = BTreeMap::new();
    for culture in &questions.cultures {
        let (chain, default) = (&head.settings.fallback_chain, &head.settings.default_culture);
        let order = fallback(culture, &head.cultures, chain, default);
        for id in &questions.terms {
            let mut answer = None;
            let further = order[..order.len() - 1].iter().cloned().map(Some);
            for culture in further.chain([None]) {
                let item = TermItem { id: *id, culture };
                let found = reader
                    .term_items(&tenant, &[item], Consistency::Strong)
                    .await
                    .unwrap();
                answer = answer.or(found.into_iter().next().unwrap().value.map(|found| found.value));
            }
            terms.insert((id.get(), culture.to_string()), answer);
        }
    }
    let mut categories = BTreeMap::new();
    for id in &questions.categories {
        let found = reader.category(&tenant, *id, Consistency::Strong).await.unwrap();
        categories.insert(id.get(), found.value.map(|found| found.value));
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

/// Returns all pages of a list.
async fn pages<T>(read: impl AsyncFn(Option<ListPosition>) -> Page<T>) -> Vec<Page<T>> {
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = read(after).await;
        after = page.next.clone();
        pages.push(page);
        assert!(pages.len() < 1000, "the list does not end");
        if after.is_none() {
            return pages;
        }
    }
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
    let versions = Versions::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
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
        assert!(answers == *served.last().unwrap(), "version {}", head.version);
    }
    assert_eq!(world.committed(TENANT).await.version.get(), 11);
    let mut version = Version::FIRST;
    for served in served {
        let entry = world.heads().entry(&tenant(), version).await.unwrap().unwrap();
        let opened = versions
            .open(&entry.index_key, expected(&tenant(), version, &entry.changeset))
            .await
            .unwrap();
        let answers = by_file(&opened, &questions).await;
        assert!(answers == served, "version {version} after eleven");
        version = version.next();
    }
}

#[tokio::test]
async fn a_term_of_a_small_file_takes_one_read_and_then_none() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    let id = read(&file).terms().next().unwrap().id();
    world.push(TENANT, &file).await;
    let head = world.committed(TENANT).await;
    let versions = Versions::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
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
    let versions = Versions::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
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

/// A position in a list, and the ids of the entries behind it by a comparison of all positions.
type Behind<K> = (ListPosition, Vec<K>);

/// Returns positions between, before, behind and on the known entries of a list.
fn behind<K: Copy>(known: &[(ListPosition, K)]) -> Vec<Behind<K>> {
    let between = ["", "a", "Nearly", "Office", "Rust", "Two", "zz"].into_iter();
    let between = between.flat_map(|name| {
        let ids = [0, 102, TermId::MAX.get()].map(|id| TermId::new(id).unwrap());
        ids.map(|id| ListPosition::of_term(Order::by_name(name), id))
    });
    let on = known.iter().map(|(position, _)| position.clone());
    let positions = between.chain(on).map(|after| {
        let behind = known.iter().filter(|(position, _)| *position > after);
        let behind = behind.map(|(_, id)| *id).collect();
        (after, behind)
    });
    positions.collect()
}

/// Returns the ids of all pages of a list after a position.
async fn ids<K, T>(after: &ListPosition, read: impl AsyncFn(&ListPosition) -> Page<ListRow<K, T>>) -> Vec<K> {
    let pages = pages(async |at: Option<ListPosition>| read(at.as_ref().unwrap_or(after)).await).await;
    let rows = pages.into_iter().flat_map(|page| page.items);
    rows.map(|row| row.id).collect()
}

/// The file of the version that a cursor names has the last entry of the page before, but a cursor may be made up.
#[tokio::test]
async fn a_page_begins_behind_an_entry_that_the_version_lacks() {
    let (world, files) = (World::new(), files());
    let versions = Versions::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), 16 << 20);
    for file in &files {
        push(&world, file).await;
    }
    let mut positions = 0;
    for (number, of) in (1..).zip(&files) {
        let entry = world
            .heads()
            .entry(&tenant(), Version::new(number).unwrap())
            .await;
        let entry = entry.unwrap().unwrap();
        let opened = versions
            .open(
                &entry.index_key,
                expected(&tenant(), entry.version, &entry.changeset),
            )
            .await;
        let (file, taxonomy) = (opened.unwrap(), read(of));
        let tree = taxonomy_model::Siblings::of(&taxonomy);
        let categories = tree.categories().iter();
        let known: Vec<_> = categories
            .map(|one| (place_of_category(*one), one.id()))
            .collect();
        for (after, expected) in behind(&known) {
            let read = async |after: &ListPosition| file.categories(3, Some(after)).await.unwrap();
            assert_eq!(
                ids(&after, read).await,
                expected,
                "version {number} after {after}"
            );
            positions += 1;
        }
        for list in Questions::of(std::slice::from_ref(of)).lists() {
            let terms = match list {
                List::TopTerms(category) => tree.top_terms(category),
                List::Children(parent) => tree.children(parent),
                List::Categories => &[],
            };
            let known: Vec<_> = terms.iter().map(|one| (place_of_term(*one), one.id())).collect();
            for (after, expected) in behind(&known) {
                let read =
                    async |after: &ListPosition| file.listed_terms(list, 3, Some(after)).await.unwrap();
                assert_eq!(
                    ids(&after, read).await,
                    expected,
                    "version {number}, {list} after {after}"
                );
                positions += 1;
            }
        }
    }
    assert!(positions > 1_000, "{positions}");
}
