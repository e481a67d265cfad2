//! Chains of versions with their index files.

use taxonomy_index::{
    Block, BuildError, Built, Changed, Digest, Expected, File, IdTable, Identity, Preorder, Previous, Row,
    Source, build,
};
use taxonomy_keys::{Culture, Version};
use taxonomy_model::{Hash, Node, SiblingKeys, Taxonomy, diff, snapshot, touched};

/// A version with its index file.
pub(crate) struct Link {
    pub(crate) taxonomy: Taxonomy,
    pub(crate) identity: Identity,
    pub(crate) body: Vec<u8>,
    pub(crate) digest: Digest,
}

pub(crate) fn version(number: u64) -> Version {
    Version::new(number).unwrap()
}

pub(crate) fn identity(number: u64, taxonomy: &Taxonomy) -> Identity {
    Identity {
        tenant: "acme".parse().unwrap(),
        version: version(number),
        changeset: Hash::digest(&number.to_le_bytes()),
        state: snapshot::hash(taxonomy),
        projection_format: 1,
    }
}

pub(crate) fn expected(identity: &Identity) -> Expected<'_> {
    Expected {
        tenant: &identity.tenant,
        version: identity.version,
        changeset: &identity.changeset,
    }
}

/// Builds the file of each version after the one before.
pub(crate) fn chain(taxonomies: impl IntoIterator<Item = Taxonomy>) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for (number, taxonomy) in (1..).zip(taxonomies) {
        let link = next(links.last(), number, taxonomy);
        links.push(link);
    }
    links
}

fn next(last: Option<&Link>, number: u64, taxonomy: Taxonomy) -> Link {
    let before = last.map(|link| &link.taxonomy);
    let facts = diff(before, &taxonomy);
    let changed = Changed::from_facts(&facts, before.map(Taxonomy::settings), taxonomy.settings());
    let changed = changed.touching(touched(before, &taxonomy));
    let file = last.map(Link::file);
    let identity = identity(number, &taxonomy);
    let built = built(&identity, &taxonomy, &changed, file.as_ref()).unwrap();
    Link {
        taxonomy,
        identity,
        body: built.body,
        digest: built.digest,
    }
}

/// Builds a file with made-up digests of search objects. The version before was committed in the second of its number.
pub(crate) fn built(
    identity: &Identity,
    taxonomy: &Taxonomy,
    changed: &Changed,
    file: Option<&File<'_>>,
) -> Result<Built, BuildError> {
    let cultures = taxonomy.cultures().iter();
    let search = cultures.map(|culture| Digest::from_content(culture.as_str().as_bytes()));
    build(&Source {
        identity,
        taxonomy,
        order: &Preorder::new(taxonomy, made_up_keys),
        changed,
        search: &search.collect::<Vec<_>>(),
        previous: file.map(|file| Previous {
            file,
            committed_at: 1_000 * file.footer().identity().version.get(),
        }),
    })
}

impl Link {
    pub(crate) fn file(&self) -> File<'_> {
        File::open(&self.body, expected(&self.identity)).unwrap()
    }
}

/// The block and the numbers of an ordinal.
pub(crate) fn read(file: &File<'_>, ordinal: u32) -> (Block, Row) {
    let (number, _) = file.footer().column_of(ordinal).unwrap();
    let row = file.column(number).unwrap().row(ordinal).unwrap();
    (file.block_of(ordinal).unwrap(), row)
}

/// The values of a key in a table, ascending.
pub(crate) fn values(file: &File<'_>, table: IdTable, key: u64) -> Vec<u32> {
    let mut values = Vec::new();
    for (number, _) in file.footer().buckets(table, key..=key) {
        values.extend(file.bucket(table, number).unwrap().values(key..=key));
    }
    values
}

/// The ordinal of an id, live or removed, and its numbers; none if no version had it.
pub(crate) fn find(file: &File<'_>, table: IdTable, id: u64) -> Option<(u32, Row)> {
    let ordinal = *values(file, table, id).first()?;
    Some((ordinal, read(file, ordinal).1))
}

/// Keys that these tests make up: sort key or name in lower case, in cultures other than the default one from the last letter on.
pub(crate) fn made_up_keys(taxonomy: &Taxonomy, culture: &Culture) -> Box<dyn SiblingKeys> {
    Box::new(MadeUpKeys {
        order: taxonomy.order(culture),
        is_default: *culture == taxonomy.settings().default_culture,
    })
}

struct MadeUpKeys {
    order: Vec<Culture>,
    is_default: bool,
}

impl SiblingKeys for MadeUpKeys {
    fn key(&self, node: Node<'_>, all_have_sort_keys: bool) -> Vec<u8> {
        let sort_key = node.details().sort_key.as_deref();
        let text = sort_key.unwrap_or_else(|| node.name_by(&self.order).name);
        let text = text.to_lowercase();
        match self.is_default || all_have_sort_keys {
            true => text.into_bytes(),
            false => text.chars().rev().collect::<String>().into_bytes(),
        }
    }
}
