//! The Content-Security-Policy of each page.

use crate::origin::Origin;

/// Returns the policy of a page that may send requests to these origins beside its own.
pub(crate) fn policy(origins: &[Origin]) -> String {
    let connect = origins
        .iter()
        .fold("connect-src 'self'".to_owned(), |connect, origin| {
            format!("{connect} {origin}")
        });
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; {connect}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}
