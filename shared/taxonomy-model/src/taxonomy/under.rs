//! The same content under other settings.

use crate::report::{Code, Report};
use crate::taxonomy::settings::Settings;
use crate::taxonomy::{Node, Taxonomy};

impl Taxonomy {
    /// Returns the same content under other settings.
    ///
    /// # Errors
    /// The report, with every category and term that has no name in the new default culture. The content has no file,
    /// so the pointers are empty.
    pub fn under(mut self, settings: Settings) -> Result<Self, Box<Report>> {
        let mut report = Report::new();
        let mut check = |id: u64, node: Node<'_>| {
            if node.name_in(&settings.default_culture).is_none() {
                let message = format!("no name in {}", settings.default_culture);
                report.add(Code::MissingDefaultName, Some(id), message, String::new);
            }
        };
        for category in self.categories() {
            check(category.id().get(), category.node);
        }
        for term in self.terms() {
            check(term.id().get(), term.node);
        }
        if !report.accepted {
            return Err(Box::new(report));
        }
        self.settings = settings;
        Ok(self)
    }
}
