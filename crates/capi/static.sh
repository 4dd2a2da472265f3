#!/bin/sh
# Makes the static library: builds it, lists the libraries of the system that it needs, and hides all
# symbols but those of the header.
#
#   static.sh BUILD SYSTEM BUILT RESULT LD OBJCOPY [SYMBOL...]   with symbols that the header lacks
#
# Cargo's library holds its dependencies, such as zstd, with symbols that everybody sees. They would
# collide with another copy in the same program. So all objects are linked into one, in which only
# the interface is global.
set -eu

build=$1 system=$2 built=$3 result=$4 ld=$5 objcopy=$6
shift 6
here=$(cd "$(dirname "$0")" && pwd)
work=$(dirname "$result")/../static
mkdir -p "$work"

# shellcheck disable=SC2086 # a command with its arguments
$build --crate-type staticlib -- --print native-static-libs 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
cat "$work/log" >&2
private=$(sed -n 's/^note: native-static-libs: //p' "$work/log" | tail -n 1)
if [ -z "$private" ]; then
    echo "static.sh: cargo did not print which libraries the static library needs" >&2
    exit 1
fi
# The library by which Rust stops panics under musl. Compilers there name it differently, or have none.
unwind=$(rustc --print target-libdir --target "$system" 2>/dev/null || true)/self-contained/libunwind.a
if [ -f "$unwind" ]; then
    private=$(echo "$private" | sed 's/-lunwind *//')
else
    unwind=
fi
# Every compiler adds the C library itself. Elsewhere panics are stopped with libgcc_s, which is shared
# only; for programs that are static altogether there is the same in libgcc_eh.
echo "$private" | sed 's/-lgcc_s/-lgcc_eh/; s/ *-lc$//; s/ -lc / /' >"$(dirname "$result")/private-libs"

# The functions that the header declares, without those that it defines.
{
    sed -n 's/^[a-z].*\(fanorona_[a-z_]*\)(.*/\1/p' "$here/include/fanorona.h" |
        grep -v -e '_init$' -e '^fanorona_after$'
    for symbol; do echo "$symbol"; done
} | sort -u >"$work/symbols"

case $system in
*[Ll]inux*)
    # Without --gc-sections, with which lld drops the tables by which panics are stopped.
    # shellcheck disable=SC2046 # one argument for each symbol
    "$ld" -r --force-group-allocation -o "$work/whole.o" \
        $(sed 's/^/-u /' "$work/symbols") "$built" ${unwind:+"$unwind"}
    # Where clang is installed, nm would read Rust's bitcode in place of the object.
    "$objcopy" --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
        --keep-global-symbols="$work/symbols" "$work/whole.o" "$work/fanorona.o"
    rm -f "$result.new"
    ar rcs "$result.new" "$work/fanorona.o"
    mv -f "$result.new" "$result"
    ;;
*)
    # Other systems have other tools for this. There the dependencies' symbols stay visible.
    cp -f "$built" "$result"
    ;;
esac
