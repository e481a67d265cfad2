"""Makes a release: the archive that deploys the service without Rust."""
