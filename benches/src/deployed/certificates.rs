//! A chain of three RSA certificates, as AWS endpoints have: made by OpenSSL, because verifying another kind would take other instructions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::failure::Failure;

/// The files of a chain.
pub(super) struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Makes a chain in a folder, for `127.0.0.1`, or takes that which is there.
    pub(super) fn make(folder: &Path) -> Result<Self, Failure> {
        let made = Self {
            folder: folder.to_owned(),
        };
        if made.folder.join("chain.pem").is_file() {
            return Ok(made);
        }
        fs::create_dir_all(folder)?;
        fs::write(
            folder.join("ca.txt"),
            "basicConstraints=critical,CA:true\nkeyUsage=keyCertSign\n",
        )?;
        fs::write(
            folder.join("leaf.txt"),
            "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n",
        )?;
        made.openssl("req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 3650 -subj /CN=root -addext basicConstraints=critical,CA:true")?;
        for (name, issuer, extensions) in [("middle", "root", "ca.txt"), ("leaf", "middle", "leaf.txt")] {
            made.openssl(&format!(
                "req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}"
            ))?;
            made.openssl(&format!(
                "x509 -req -in {name}.csr -CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial -days 3650 -extfile {extensions} -out {name}.pem"
            ))?;
        }
        let chain =
            fs::read_to_string(folder.join("leaf.pem"))? + &fs::read_to_string(folder.join("middle.pem"))?;
        fs::write(folder.join("chain.pem"), chain)?;
        Ok(made)
    }

    /// The file of the root.
    pub(super) fn authority(&self) -> PathBuf {
        self.folder.join("root.pem")
    }

    /// The configuration of a server with the chain.
    pub(super) fn server(&self) -> Result<ServerConfig, Failure> {
        let chain =
            CertificateDer::pem_file_iter(self.folder.join("chain.pem"))?.collect::<Result<_, _>>()?;
        let key = PrivateKeyDer::from_pem_file(self.folder.join("leaf.key"))?;
        let provider = ring::default_provider();
        let builder =
            ServerConfig::builder_with_provider(provider.into()).with_safe_default_protocol_versions()?;
        Ok(builder.with_no_client_auth().with_single_cert(chain, key)?)
    }

    fn openssl(&self, arguments: &str) -> Result<(), Failure> {
        let mut command = Command::new("openssl");
        command.args(arguments.split(' ')).current_dir(&self.folder);
        let done = command
            .output()
            .map_err(|error| format!("openssl cannot be run ({error}); install it, nothing was counted"))?;
        match done.status.success() {
            true => Ok(()),
            false => Err(format!(
                "openssl {arguments} failed: {}",
                String::from_utf8_lossy(&done.stderr)
            )
            .into()),
        }
    }
}
