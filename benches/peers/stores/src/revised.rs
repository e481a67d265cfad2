//! The next version of a file: every tenth leaf has another name.

use std::error::Error;

use serde_json::Value;

const EVERY: usize = 10;
const REVISED: &str = " revised";

/// Returns the next version.
pub fn revised(file: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut file: Value = serde_json::from_slice(file)?;
    let mut leaves = 0;
    for category in members(&mut file, "categories") {
        members(category, "terms").for_each(|term| revise(term, &mut leaves));
    }
    Ok(serde_json::to_vec(&file)?)
}

fn members<'v>(node: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    let members = node.get_mut(name).and_then(Value::as_array_mut);
    members.into_iter().flatten()
}

/// Renames a term if it is a tenth leaf. A file has at most 32 levels, so the recursion is bounded.
fn revise(term: &mut Value, leaves: &mut usize) {
    let mut children = members(term, "children").peekable();
    if children.peek().is_some() {
        children.for_each(|child| revise(child, leaves));
        return;
    }
    drop(children);
    *leaves += 1;
    if !leaves.is_multiple_of(EVERY) {
        return;
    }
    if let Some(Value::String(name)) = term.get_mut("name") {
        name.push_str(REVISED);
    }
    for name in members(term, "names") {
        if let Some(Value::String(name)) = name.get_mut("name") {
            name.push_str(REVISED);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tenth_leaf_has_another_name() {
        let children: Vec<Value> = (1..=20)
            .map(|id| json!({"id": id, "name": format!("Leaf {id}")}))
            .collect();
        let file = json!({"categories": [{"id": 1, "name": "Sector", "terms": [{"id": 0, "name": "Top", "children": children}]}]});
        let revised: Value = serde_json::from_slice(&revised(file.to_string().as_bytes()).unwrap()).unwrap();
        let top = &revised["categories"][0]["terms"][0];
        assert_eq!(top["name"], "Top");
        assert_eq!(top["children"][8]["name"], "Leaf 9");
        assert_eq!(top["children"][9]["name"], "Leaf 10 revised");
        assert_eq!(top["children"][19]["name"], "Leaf 20 revised");
    }
}
