# The prober in prober/, which run.sh tests: it compiles as C and C++, agrees with the library, and survives
# damaged files.
prober=$here/prober

for compiler in "$TEST_CC" clang; do
    command -v "$(word "$compiler")" >/dev/null || continue
    # shellcheck disable=SC2086
    $compiler -std=c99 -O2 $warnings -c "$prober/fano.c" -o "$work/fano.o"
done
# shellcheck disable=SC2086
$TEST_CXX -std=c++17 -x c++ $cxx_warnings -c "$prober/fano.c" -o "$work/fano-cxx.o"

c compare "$prober/compare.c" "$prober/fano.c" -lzstd
for rules in standard forced-relay first-capture-single free-capture vela+stones-2 \
    vela+victor-black+stones-3+must-capture standard+direction-free+no-turns-draw free-capture+direction-strict; do
    "$work/compare" "$data/small" 3x3 $rules
done
"$work/compare" "$data/small" 5x3 standard 50000 7
"$work/compare" "$data/packed" 5x5 standard 50000 5
"$work/compare" "$data/packed" 9x5 free-capture 50000 3
"$work/compare" "$data/packed" 9x5 vela 50000 3

mkdir -p "$work/damage"
for define in FANO_CHECKSUMS FANO_WITHOUT_CHECKSUMS; do
    # shellcheck disable=SC2086
    $TEST_CC -std=c99 -O1 -g $warnings -fsanitize=address,undefined -fno-sanitize-recover=all -D$define \
        "$prober/damage.c" "$prober/fano.c" -o "$work/damage-$define" -lzstd
    "$work/damage-$define" "$data/small" "$work/damage" standard 2000
done
