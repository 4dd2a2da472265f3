#!/bin/sh
# Tests the C library. `make test` calls this with its variables.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
repository=$(cd "$here/../.." && pwd)
: "${CARGO:?call this with make test}" "${OUT:?}" "${LIBS:?}" "${TARGET:?}" "${VERSION:?}"
: "${TEST_CC:?}" "${TEST_CXX:?}" "${PKG_CONFIG:?}" "${MAKE:?}" "${REAL:?}" "${SONAME:?}"
work=$OUT/test
data=$OUT/test-data

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
missing() {
    printf 'make test needs %s, and there is none: %s\n' "$1" "$2" >&2
    exit 1
}
word() { printf '%s' "${1%% *}"; }

command -v "$(word "$TEST_CC")" >/dev/null || missing "a C compiler ($TEST_CC)" "install gcc or clang, or set CC"
command -v "$(word "$TEST_CXX")" >/dev/null || missing "a C++ compiler ($TEST_CXX)" "install g++ or clang++, or set CXX"
command -v "$(word "$PKG_CONFIG")" >/dev/null || missing "pkg-config ($PKG_CONFIG)" "install pkg-config or pkgconf, or set PKG_CONFIG"

rm -rf "$work" "$data"
mkdir -p "$work" "$data"

# Changes outside of target/ would be seen here.
before=$(cd "$repository" && git status --porcelain 2>/dev/null || true)

warnings="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wstrict-prototypes"
cxx_warnings="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow"
include="-I$here/include"
shared="-L$LIBS -lfanorona -Wl,-rpath,$LIBS"
private=$(cat "$LIBS/private-libs")

c() { # result, arguments
    result=$1
    shift
    # shellcheck disable=SC2086 # lists of options
    $TEST_CC -std=c99 -D_POSIX_C_SOURCE=200809L -O1 -g $warnings $include "$@" -o "$work/$result" $shared
}

step "data to compare with"
"$CARGO" run --locked --release --quiet --manifest-path "$here/Cargo.toml" --example capi_test_data \
    -- "$repository" "$data"

step "the header, as C99, C11 and C17, and as C++11 and C++17"
for standard in c99 c11 c17; do
    # shellcheck disable=SC2086
    $TEST_CC -std=$standard $warnings $include "$here/tests/header.c" -o "$work/header-$standard" $shared
    [ "$("$work/header-$standard")" = "$VERSION" ] || fail "the version is not $VERSION"
done
for standard in c++11 c++17; do
    # shellcheck disable=SC2086
    $TEST_CXX -std=$standard $cxx_warnings $include "$here/tests/header.cpp" -o "$work/header-$standard" $shared
    [ "$("$work/header-$standard")" = "5 turns" ] || fail "header.cpp with $standard"
done

step "exported symbols"
declared=$OUT/static/symbols # made from the header by static.sh
case $(uname -s) in
Linux)
    nm -D --defined-only "$LIBS/$REAL" | awk '{ print $3 }' | sort >"$work/exported"
    diff "$declared" "$work/exported" || fail "the shared library exports other symbols than the header"
    nm -g --defined-only "$LIBS/libfanorona.a" | awk 'NF == 3 { print $3 }' | sort >"$work/exported"
    diff "$declared" "$work/exported" || fail "the static library has other symbols than the header"
    readelf -d "$LIBS/$REAL" | grep -q "SONAME.*\[$SONAME\]" || fail "the SONAME is not $SONAME"
    ;;
*)
    nm -gU "$LIBS/$REAL" | awk '{ print $3 }' | sed 's/^_//' | sort >"$work/exported"
    diff "$declared" "$work/exported" || fail "the shared library exports other symbols than the header"
    ;;
esac
echo "$(wc -l <"$declared") functions"

step "rules"
c rules "$here/tests/rules.c"
"$work/rules" "$data"
step "tables"
c tables "$here/tests/tables.c"
"$work/tables" "$data"
step "knowledge and reports"
c knowledge "$here/tests/knowledge.c"
"$work/knowledge" "$data" "$repository"
step "games as text"
c records "$here/tests/records.c"
"$work/records"
step "proofs and opponents"
c proofs "$here/tests/proofs.c"
"$work/proofs" "$data" "$repository"
step "the questions that every face answers alike"
c questions "$here/tests/questions.c"
"$work/questions" "$data" "$repository"
step "bad input"
c bad_input "$here/tests/bad_input.c"
"$work/bad_input" "$data"
step "threads"
c threads "$here/tests/threads.c" -pthread
"$work/threads" "$data" "$repository" 50
c lockless "$here/tests/lockless.c" -pthread
"$work/lockless" "$data"

c own_threads "$here/tests/own_threads.c"
"$work/own_threads" "$data"

step "panics, in a static library with a function that panics"
mkdir -p "$work/panics/lib"
sh "$here/static.sh" "$CARGO rustc --locked --release --manifest-path $here/Cargo.toml --lib \
    --features test-panic --target-dir $TARGET" "$(uname -s)" "$TARGET/release/libfanorona_capi.a" \
    "$work/panics/lib/libfanorona.a" ld objcopy fanorona_test_panic 2>"$work/panic.log" ||
    { cat "$work/panic.log"; fail "the library with a function that panics"; }
# shellcheck disable=SC2086
$TEST_CC -std=c99 -O1 -g $warnings $include "$here/tests/panic.c" -o "$work/panic" \
    "$work/panics/lib/libfanorona.a" $private
"$work/panic" 2>"$work/panic.log" || { cat "$work/panic.log"; fail "panic"; }
grep -q "this panic is a test" "$work/panic.log" || fail "no panic happened"

if [ -z "$(echo '#include <zstd.h>
#include <xxhash.h>' | $TEST_CC -E - 2>&1 >/dev/null)" ]; then
    step "the prober without Rust"
    . "$here/tests/prober.sh"
else
    printf '\n== NOT TESTED: the prober, because there is no zstd.h or no xxhash.h\n'
fi

step "examples"
for example in probe play search line games; do
    c $example "$here/examples/$example.c"
done
. "$here/tests/examples.sh"

step "code on the pages"
. "$here/tests/pages.sh"

step "installing into an empty directory"
. "$here/tests/install.sh"

if command -v valgrind >/dev/null; then
    # Valgrind runs one thread at a time. Without fair scheduling, a thread that is counting may keep
    # the others waiting for ever.
    step "memcheck"
    for test in "bad_input $data" "proofs $data $repository" "threads $data $repository 1" records \
        "own_threads $data"; do
        # shellcheck disable=SC2086
        valgrind --quiet --fair-sched=yes --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$work/"$test
    done
    # Helgrind does not know the locks of Rust, which are futexes, and reports whatever they protect.
    # So it is used where nothing is locked, but for what Rust itself does when a thread ends.
    step "helgrind"
    valgrind --quiet --fair-sched=yes --tool=helgrind --suppressions="$here/tests/helgrind.supp" \
        --error-exitcode=9 "$work/lockless" "$data"
else
    printf '\n== NOT TESTED: memcheck and helgrind, because there is no valgrind\n'
fi

after=$(cd "$repository" && git status --porcelain 2>/dev/null || true)
[ "$before" = "$after" ] || fail "the tests changed files outside of target/: $after"
printf '\n== all tests of the C library passed\n'
