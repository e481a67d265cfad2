//! The files that are uploaded: tiny taxonomies, written down as JSON here and nowhere else.

use std::io::Write as _;

use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use taxonomy_testkit::fixtures::SOURCE_BUCKET;
use taxonomy_tests::world::{TENANT, World};

/// A category or a term as it is drawn, before it has a place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    id: u64,
    en: String,
    fr: Option<String>,
    below: Vec<Node>,
}

/// A node with a name in the default culture.
pub(crate) fn node(id: u64, en: &str, below: &[Node]) -> Node {
    Node {
        id,
        en: en.to_owned(),
        fr: None,
        below: below.to_vec(),
    }
}

impl Node {
    /// The same with a name in French.
    pub(crate) fn fr(mut self, name: &str) -> Self {
        self.fr = Some(name.to_owned());
        self
    }

    fn json(&self, below: &str) -> Value {
        let mut names = vec![json!({"culture": "en-GB", "name": self.en})];
        names.extend(
            self.fr
                .iter()
                .map(|name| json!({"culture": "fr-FR", "name": name})),
        );
        let mut fields = Map::new();
        fields.insert("id".to_owned(), json!(self.id));
        fields.insert("names".to_owned(), json!(names));
        if !self.below.is_empty() {
            let nodes: Vec<Value> = self.below.iter().map(|node| node.json("children")).collect();
            fields.insert(below.to_owned(), json!(nodes));
        }
        Value::Object(fields)
    }
}

/// A file with these categories.
pub(crate) fn file(categories: &[Node]) -> Value {
    let categories: Vec<Value> = categories.iter().map(|node| node.json("terms")).collect();
    json!({ "categories": categories })
}

/// A file as it is stored: its bytes, and what is said of them.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) file: Value,
    pub(crate) bytes: Vec<u8>,
    /// Whether the bytes are packed.
    is_zipped: bool,
    /// Whether `Content-Encoding` says so.
    says_zipped: bool,
}

impl Stored {
    pub(crate) fn plain(file: &Value) -> Self {
        Self {
            file: file.clone(),
            bytes: file.to_string().into_bytes(),
            is_zipped: false,
            says_zipped: false,
        }
    }

    pub(crate) fn zipped(file: &Value) -> Self {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(file.to_string().as_bytes()).unwrap();
        Self {
            file: file.clone(),
            bytes: packer.finish().unwrap(),
            is_zipped: true,
            says_zipped: true,
        }
    }

    /// The same bytes, so the same ETag, under the wrong label: S3 takes it for the same content, a reader cannot.
    pub(crate) fn mislabelled(self) -> Self {
        Self {
            says_zipped: !self.is_zipped,
            ..self
        }
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.is_zipped == self.says_zipped
    }

    /// Puts it where an upstream would.
    pub(crate) fn put(&self, world: &World) {
        let encoding = self.says_zipped.then_some("gzip");
        let key = format!("taxonomies/{TENANT}.json");
        world
            .s3
            .put_with(SOURCE_BUCKET, &key, self.bytes.clone(), encoding, &[]);
    }
}

/// A file that no tenant may have.
pub(crate) fn refused() -> Value {
    json!({"categories": [{"id": 1, "name": "Sector", "terms": [{"id": 1, "name": "IT"}, {"id": 1, "name": "Law"}]}]})
}

/// The scenarios begin with it: seven terms three deep, two categories, most of it in French.
pub(crate) fn first() -> Value {
    let depth = node(3, "Rust", &[]).fr("Rouille");
    let middle = node(2, "Software", &[depth]).fr("Logiciel");
    let sector = node(1, "Sector", &[node(1, "IT", &[middle]), node(4, "Law", &[])]).fr("Secteur");
    let towns = [
        node(7, "Leeds", &[]).fr("Lides"),
        node(8, "York", &[]).fr("Yorck"),
    ];
    file(&[sector, node(2, "Region", &[node(5, "North", &towns)])])
}

/// They go on with it: ancestors are renamed, a term moves with its descendants, one goes, one comes, cultures go.
pub(crate) fn second() -> Value {
    let middle = node(2, "Software", &[node(3, "Rust", &[])]).fr("Logiciel");
    let sector = node(1, "Sector", &[node(1, "Computing", &[]), node(6, "Mining", &[])]).fr("Secteur");
    let below = [middle, node(7, "Leeds", &[]).fr("Leeds"), node(8, "York", &[])];
    file(&[sector, node(2, "Region", &[node(5, "The North", &below)])])
}

/// And with after that: what was renamed and moved is as it was, what came has gone, what went has come back elsewhere.
pub(crate) fn third() -> Value {
    let middle = node(2, "Software", &[node(3, "Ferris", &[])]);
    let sector = node(1, "Sector", &[node(1, "IT", &[middle])]).fr("Secteur");
    let law = node(4, "Law", &[node(7, "Leeds", &[]).fr("Lides")]).fr("Droit");
    file(&[sector, node(2, "Area", &[law, node(8, "York", &[]).fr("Yorck")])])
}

/// Everything in both cultures, so that either can be the default.
pub(crate) fn bilingual() -> Value {
    let below = node(2, "Software", &[]).fr("Logiciel");
    let terms = [
        node(1, "IT", &[below]).fr("Informatique"),
        node(4, "Law", &[]).fr("Droit"),
    ];
    file(&[node(1, "Sector", &terms).fr("Secteur")])
}

const WORDS: [(&str, &str); 5] = [
    ("IT", "Informatique"),
    ("Law", "Droit"),
    ("Mining", "Mines"),
    ("Teaching", "Enseignement"),
    ("Health", "Santé"),
];

/// One or two categories with two to six terms out of eight ids, each below the category or below any other term. Where it is
/// `bilingual` everything has a French name, else one in three.
pub(crate) fn drawn(rng: &mut Rng, bilingual: bool) -> Value {
    let name = |rng: &mut Rng, id: u64, below: Vec<Node>| {
        let (en, fr) = WORDS[rng.usize(..WORDS.len())];
        // Siblings of one name would be a warning, and a report for each; the id keeps them apart.
        let named = node(id, &format!("{en} {id}"), &below);
        if bilingual || rng.u8(..3) == 0 {
            named.fr(&format!("{fr} {id}"))
        } else {
            named
        }
    };
    let categories = rng.u64(1..=2);
    let mut ids: Vec<u64> = (1..=8).collect();
    rng.shuffle(&mut ids);
    ids.truncate(rng.usize(2..=6));
    // Each goes below one that was placed before it, or below a category.
    let mut placed: Vec<(u64, Option<usize>, u64)> = Vec::new();
    for id in ids {
        let above = rng.usize(..=placed.len());
        let category = placed
            .get(above)
            .map_or_else(|| rng.u64(1..=categories), |(_, _, category)| *category);
        placed.push((id, (above < placed.len()).then_some(above), category));
    }
    let mut below: Vec<Vec<Node>> = vec![Vec::new(); placed.len()];
    let mut tops: Vec<Vec<Node>> = vec![Vec::new(); 3];
    for (position, (id, above, category)) in placed.iter().enumerate().rev() {
        let node = name(rng, *id, std::mem::take(&mut below[position]));
        match above {
            Some(above) => below[*above].push(node),
            None => tops[usize::try_from(*category).unwrap()].push(node),
        }
    }
    let categories: Vec<Node> = (1..=categories)
        .map(|id| name(rng, id, std::mem::take(&mut tops[usize::try_from(id).unwrap()])))
        .collect();
    file(&categories)
}
