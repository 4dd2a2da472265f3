# The prober in prober/, which run.sh tests: it compiles as C and C++, agrees with the library, and survives
# damaged files.
prober=$here/prober

for compiler in "$TEST_CC" gcc clang; do
    command -v "$(word "$compiler")" >/dev/null || continue
    for standard in c99 c17; do
        # shellcheck disable=SC2086
        $compiler -std=$standard -O2 $warnings -c "$prober/fano.c" -o "$work/fano.o"
    done
done
for compiler in "$TEST_CXX" g++ clang++; do
    command -v "$(word "$compiler")" >/dev/null || continue
    for standard in c++11 c++17; do
        # shellcheck disable=SC2086
        $compiler -std=$standard -O2 -x c++ $cxx_warnings -c "$prober/fano.c" -o "$work/fano-cxx.o"
    done
done
# No global state: nothing that can be written.
if [ "$(uname -s)" = Linux ]; then
    # Position-independent code would count tables of pointers among it.
    $TEST_CC -std=c99 -O2 -fno-pie -c "$prober/fano.c" -o "$work/fano.o"
    [ -z "$(nm "$work/fano.o" | grep -i ' [bdc] ')" ] || fail "the prober has global state"
fi

c compare "$prober/compare.c" "$prober/fano.c" -lzstd
for rules in standard forced-relay first-capture-single free-capture vela+stones-2 \
    vela+victor-black+stones-3+must-capture standard+direction-free+no-turns-draw free-capture+direction-strict; do
    "$work/compare" "$data/small" 3x3 $rules
done
# Each position of 5x3; random ones of the others.
"$work/compare" "$data/small" 5x3 standard
"$work/compare" "$data/packed" 5x5 standard 50000 5
"$work/compare" "$data/packed" 9x5 free-capture 50000 3
"$work/compare" "$data/packed" 9x5 vela 50000 3

# With a part of the tables, both may say less than with all, but nothing else.
c partial "$prober/partial.c" "$prober/fano.c" -lzstd
for part in "$data"/part-*; do
    "$work/partial" "$data/packed" "$part" >>"$work/parts" || fail "answers from $part"
done
awk '{ for (i = 1; i <= 3; i++) sum[i] += $i } END {
    print "parts of the tables: " sum[1] " answers, " sum[2] " with a distance, " sum[3] " without the one there is"
    exit sum[2] < 1000 || sum[3] < 1000
}' "$work/parts" || fail "answers from parts of the tables"

# Probes beyond the tables, of which some are missing.
c bounds "$prober/bounds.c" "$prober/fano.c" -lzstd
mkdir -p "$work/some"
for slice in 1v1 1v2 2v2 3v1; do
    cp "$data/small/9x5_standard_$slice.dtw.fano" "$work/some"
done
"$work/bounds" "$data/small" "$work/some" 9x5 5

# Readers of several threads share the tables. Not every system has the thread sanitizer.
sanitizer=-fsanitize=thread
echo 'int main(void) { return 0; }' >"$work/empty.c"
$TEST_CC $sanitizer "$work/empty.c" -o "$work/empty" 2>/dev/null && "$work/empty" || sanitizer=
# shellcheck disable=SC2086
$TEST_CC -std=c99 -D_POSIX_C_SOURCE=200809L -O1 -g $warnings $sanitizer "$prober/threads.c" "$prober/fano.c" \
    -o "$work/prober-threads" -lzstd -pthread
"$work/prober-threads" "$data/small" 5x3 standard 7
"$work/prober-threads" "$data/six" 5x5 standard 6

mkdir -p "$work/damage"
for define in FANO_CHECKSUMS FANO_WITHOUT_CHECKSUMS; do
    # shellcheck disable=SC2086
    $TEST_CC -std=c99 -O1 -g $warnings -fsanitize=address,undefined -fno-sanitize-recover=all -D$define \
        "$prober/damage.c" "$prober/fano.c" -o "$work/damage-$define" -lzstd
    "$work/damage-$define" "$data/small" "$work/damage" standard 2000
done
