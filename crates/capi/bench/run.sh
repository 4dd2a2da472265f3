#!/bin/sh
# Compares a probe through C with one from Rust. `make bench` calls this with its variables.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
: "${CARGO:?call this with make bench}" "${OUT:?}" "${LIBS:?}" "${TEST_CC:?}"
mkdir -p "$OUT/bench"
# shellcheck disable=SC2086
$TEST_CC -std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -Wconversion -shared -fPIC "-I$here/include" \
    "$here/bench/batch.c" -o "$OUT/bench/libbatch.so" "-L$LIBS" -lfanorona "-Wl,-rpath,$LIBS"
"$CARGO" run --locked --release --quiet --manifest-path "$here/Cargo.toml" --example capi_bench -- \
    "$OUT/bench/libbatch.so" "$OUT/bench/tables"
