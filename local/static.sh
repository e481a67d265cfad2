#!/bin/sh
# The compiler of the workspace's own crates, so that what it links holds the C library; their dependencies stay as every build has them.
exec "$@" -C target-feature=+crt-static
