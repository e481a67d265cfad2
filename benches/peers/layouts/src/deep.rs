//! A made-up taxonomy of 18 levels.

use serde_json::{Value, json};

/// The number of terms on each level of the deep taxonomy: most of them half-way down, as in a WordNet.
const LEVELS: [usize; 18] = [
    2, 4, 20, 80, 300, 900, 2_000, 3_000, 3_200, 2_800, 2_200, 1_600, 1_000, 600, 300, 150, 60, 20,
];

/// One category of 18 levels in one culture; names of 15 characters, each path that of the parent and the name.
pub(crate) fn deep() -> Value {
    let mut below: Vec<Vec<Value>> = Vec::new();
    for (level, count) in LEVELS.into_iter().enumerate().rev() {
        let mut terms = Vec::new();
        for place in 0..count {
            let children = below.get_mut(place).map(std::mem::take).unwrap_or_default();
            let id = (level + 1) * 10_000 + place;
            let path = deep_path(level, place);
            let name = json!({"culture": "en-GB", "name": format!("Entity {id:08}"), "path": path});
            terms.push(json!({"id": id, "names": [name], "children": children}));
        }
        // The parent of a term is the one at its place, around the level above.
        let above = if level == 0 { 1 } else { LEVELS[level - 1] };
        below = vec![Vec::new(); above];
        for (place, term) in terms.into_iter().enumerate() {
            below[place % above].push(term);
        }
    }
    json!({"categories": [{"id": 1, "names": [{"culture": "en-GB", "name": "Thing"}], "terms": below.remove(0)}]})
}

fn deep_path(level: usize, place: usize) -> String {
    let above = match level {
        0 => String::new(),
        level => deep_path(level - 1, place % LEVELS[level - 1]),
    };
    format!("{above}/entity-{:08}", (level + 1) * 10_000 + place)
}
