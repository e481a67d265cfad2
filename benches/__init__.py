"""The benchmark: counts of the service, and the service beside its peers, as one table (`make bench`)."""
