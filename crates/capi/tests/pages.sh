# Checks the code on the pages. Part of run.sh. A block after `<!-- from FILE: NAME -->` must be the
# part of FILE with that name. Any other block of C must compile; a program is linked and run too.
blocks=${work:?run.sh sets it}/blocks
rm -rf "$blocks"
mkdir -p "$blocks"
for page in README docs/ENGINE_AUTHORS; do
    awk -v base="$blocks/$(basename $page)" '
        /^<!-- from .*: .* -->$/ { from = $3 " " $4; sub(":", "", from); next }
        /^```c$/ { number++; file = base "-" number ".c"; inside = 1
                   if (from != "") { print from > (base "-" number ".from") }
                   from = ""; printf "" > file; next }
        /^```/ { inside = 0 }
        inside { print > file }
    ' "$here/$page.md"
done
checked=0
for block in "$blocks"/*.c; do
    origin=${block%.c}.from
    if [ -e "$origin" ]; then
        read -r file name <"$origin"
        sed -n "/\/\* \[$name\] \*\//,/\/\* \[\/$name\] \*\//p" "$here/$file" | sed -e '1d' -e '$d' -e 's/^ *//' >"$block.expected"
        [ -s "$block.expected" ] || fail "$file has no part $name"
        sed 's/^ *//' "$block" | diff "$block.expected" - || fail "$block differs from $name in $file"
    elif grep -q '^int main' "$block"; then
        c "page-$(basename "$block" .c)" "$block"
        "$work/page-$(basename "$block" .c)"
    else
        { echo '#include <stddef.h>'; echo '#include "fanorona.h"'; cat "$block"; } >"$block.whole.c"
        # shellcheck disable=SC2086
        $TEST_CC -std=c99 $warnings -Wno-unused-function $include -c "$block.whole.c" -o "$block.o"
    fi
    checked=$((checked + 1))
done
[ "$checked" -ge 5 ] || fail "the pages have only $checked blocks of C"
echo "$checked blocks"
