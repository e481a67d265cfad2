//! Lists of siblings, and the position of an entry in the order of a list.

use std::fmt;

use crate::{CategoryId, TermId};

/// A list of siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// The categories of a tenant.
    Categories,
    /// The top terms of a category.
    TopTerms(CategoryId),
    /// The children of a term.
    Children(TermId),
}

/// The text that orders siblings: the author's sort key, or the name in lower case.
///
/// At most 900 bytes: it is part of every cursor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(String);

impl Order {
    const MAX_LEN: usize = 900;

    /// Orders by the author's sort key.
    #[must_use]
    pub fn by_sort_key(sort_key: &str) -> Self {
        Self(cut(sort_key).to_owned())
    }

    /// Orders by name, without regard to case.
    ///
    /// ```
    /// use taxonomy_keys::Order;
    /// assert_eq!(Order::by_name("Éclair").to_string(), "éclair");
    /// assert_eq!(Order::by_name(&"é".repeat(500)).to_string().len(), 900);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Self {
        Self(cut(&name.to_lowercase()).to_owned())
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(Order::MAX_LEN)]
}

/// The position of a node in a list: its order, then its id. Cursors hold it as text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListPosition {
    order: Order,
    id: u64,
}

/// Ends the order in the text of a position. It sorts before everything that an order can contain, so that `IT` comes before `IT support`; no
/// name or sort key contains a TAB.
const END_OF_ORDER: char = '\t';

impl ListPosition {
    /// Returns the position of a category.
    #[must_use]
    pub fn of_category(order: Order, id: CategoryId) -> Self {
        Self { order, id: id.get() }
    }

    /// Returns the position of a term.
    #[must_use]
    pub fn of_term(order: Order, id: TermId) -> Self {
        Self { order, id: id.get() }
    }

    /// Returns the id of the category or term at the position.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Parses a position; none for any other text.
    ///
    /// ```
    /// use taxonomy_keys::ListPosition;
    /// let position = ListPosition::parse("it support\t0000000000000100").unwrap();
    /// assert_eq!(position.to_string(), "it support\t0000000000000100");
    /// assert_eq!(ListPosition::parse("it support\t100"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (order, id) = text.rsplit_once(END_OF_ORDER)?;
        let place = Self {
            order: Order::by_sort_key(order),
            id: TermId::new(id.parse().ok()?)?.get(),
        };
        (place.to_string() == text).then_some(place)
    }
}

impl fmt::Display for ListPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{END_OF_ORDER}{:016}", self.order, self.id)
    }
}

/// Formats the list for logs and caches: `categories`, `terms:1` for the top terms of category 1, `children:100`.
impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Categories => f.write_str("categories"),
            Self::TopTerms(category) => write!(f, "terms:{category}"),
            Self::Children(parent) => write!(f, "children:{parent}"),
        }
    }
}
