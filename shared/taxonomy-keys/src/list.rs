//! Lists of siblings, and the position of an entry in the order of a list.

use std::fmt;

use crate::{CategoryId, TenantId, TermId};

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
/// At most 900 bytes, so that a sort key of the index stays below DynamoDB's 1,024.
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

/// The position of an entry in a list: its order, then its id. As text, the sort key of the index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListPosition {
    order: Order,
    id: u64,
}

/// Ends the order in a sort key. It sorts before everything that an order can contain, so that `IT` comes before `IT support`; no
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

    /// Parses a sort key of the index; none for any other text.
    ///
    /// ```
    /// use taxonomy_keys::ListPosition;
    /// let position = ListPosition::parse("it support\t0000000000000100").unwrap();
    /// assert_eq!(position.to_string(), "it support\t0000000000000100");
    /// assert_eq!(ListPosition::parse("it support\t100"), None);
    /// ```
    #[must_use]
    pub fn parse(sort_key: &str) -> Option<Self> {
        let (order, id) = sort_key.rsplit_once(END_OF_ORDER)?;
        let place = Self {
            order: Order::by_sort_key(order),
            id: TermId::new(id.parse().ok()?)?.get(),
        };
        (place.to_string() == sort_key).then_some(place)
    }
}

impl fmt::Display for ListPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{END_OF_ORDER}{:016}", self.order, self.id)
    }
}

impl List {
    /// Returns the partition of the index that contains the list.
    pub(crate) fn partition(self, tenant: &TenantId) -> String {
        match self {
            Self::Categories => categories(tenant),
            Self::TopTerms(category) => top_terms(tenant, category),
            Self::Children(parent) => children(tenant, parent),
        }
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

fn categories(tenant: &TenantId) -> String {
    format!("CATEGORIES#{tenant}")
}

fn top_terms(tenant: &TenantId, category: CategoryId) -> String {
    format!("CHILDREN#{tenant}#CATEGORY#{category}")
}

fn children(tenant: &TenantId, parent: TermId) -> String {
    format!("CHILDREN#{tenant}#TERM#{parent}")
}
