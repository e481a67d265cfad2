//! No secret in any text that a log could get.

use std::error::Error;
use std::fmt::Debug;

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, future};
use taxonomy_client::Auth;

use crate::api::{Api, Fault, acme, credentials};

const SECRETS: &str = "secret-access-key session-token-secret bearer-secret provider-secret";

#[track_caller]
fn check(text: &str) {
    for secret in SECRETS.split(' ') {
        assert!(!text.contains(secret), "{text}");
    }
}

fn shown(value: &impl Debug) {
    check(&format!("{value:?} {value:#?}"));
}

/// A provider that prints what it should not.
#[derive(Debug)]
struct Chatty {
    #[expect(dead_code, reason = "its Debug output prints it")]
    secret: &'static str,
}

impl ProvideCredentials for Chatty {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::ready(Err(CredentialsError::not_loaded("no profile")))
    }
}

#[tokio::test]
async fn debug_output_of_everything_holds_no_secret() {
    let api = Api::new().await;
    let chatty = Chatty {
        secret: "provider-secret",
    };
    let [fixed, provided] = [
        Auth::iam(credentials(), "eu-west-1"),
        Auth::iam(chatty, "eu-west-1"),
    ];
    for auth in [fixed, Auth::bearer("bearer-secret"), provided] {
        shown(&auth);
        let builder = api.builder().auth(auth);
        shown(&builder);
        let client = builder.build().unwrap();
        shown(&client);
        let acme = acme(&client);
        shown(&acme);
        for fault in [
            Fault::message(403, "Forbidden"),
            Fault::message(404, "Not Found"),
            Fault::body("{"),
            Fault::Endless(9 << 20),
        ] {
            api.inject([fault]);
            let error = acme.head().await.unwrap_err();
            shown(&error);
            check(&error.to_string());
            let mut source = error.source();
            while let Some(cause) = source {
                check(&cause.to_string());
                source = cause.source();
            }
        }
        shown(&client);
    }
    let api = Api::new().await;
    let acme = api.acme_by(|builder| builder.auth(Auth::bearer("bearer-secret\n")));
    let error = acme.head().await.unwrap_err();
    shown(&error);
    check(&format!("{error} {}", error.source().unwrap()));
}
