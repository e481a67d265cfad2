#!/bin/sh
# The compiler of the workspace's crates: of the program `taxonomy` alone it makes one that holds the C library. All that it is made of stays
# as every other build has it.
case " $* " in
*" --crate-name taxonomy "*) exec "$@" -C target-feature=+crt-static ;;
*) exec "$@" ;;
esac
