//! The category or the term whose terms a request is about.

use crate::files::Branch;
use crate::request::parameters::Parameters;
use crate::response::problem::Problem;

/// Returns the branch of `category=` or `below=`; none for the whole taxonomy.
///
/// # Errors
/// `invalid-id`; `invalid-parameter` where both are there.
pub(crate) fn branch(query: &Parameters) -> Result<Option<Branch>, Problem> {
    match (query.id("category")?, query.id("below")?) {
        (Some(_), Some(_)) => {
            let detail = "category and below exclude each other.";
            Err(Problem::invalid_parameter(detail, "/query/below"))
        }
        (Some(category), None) => Ok(Some(Branch::Category(category))),
        (None, below) => Ok(below.map(Branch::Below)),
    }
}
