# Runs the examples and checks what they print. Part of run.sh.

# probe: the best turn comes first, and the values of the turns agree with that of the position.
"$work/probe" "$data/packed" 5x5 standard "B3B/5/5/5/W3W w" >"$work/out"
cat >"$work/expected" <<'END'
B3B/5/5/5/W3W w: draw
a1-b1 draw
a1-b2 draw
e1-d2 draw
e1-d1 draw
a1-a2 loss in 14
e1-e2 loss in 14
END
diff "$work/expected" "$work/out" || fail "examples/probe.c"
"$work/probe" "$data/none" 5x5 standard "B4/5/5/5/W4 w" 2>"$work/out" && fail "probe without tables"
grep -q "does not exist" "$work/out" || fail "the message of probe without tables"

# The same answers as the reference's for positions with a distance.
awk -F '\t' '$3 >= 0 && NR <= 48' "$data/values.txt" | while IFS="$(printf '\t')" read -r position value dtw; do
    case $value in 1) name=win ;; -1) name=loss ;; *) fail "a draw with a distance" ;; esac
    "$work/probe" "$data/packed" 5x5 standard "$position" >"$work/out"
    [ "$(head -n 1 "$work/out")" = "$position: $name in $dtw" ] || fail "probe of $position"
done

# play: the same game twice, to its end.
"$work/play" 5x5 standard 2 3 1 >"$work/out"
"$work/play" 5x5 standard 2 3 1 >"$work/again"
diff "$work/out" "$work/again" || fail "examples/play.c plays differently each time"
tail -n 1 "$work/out" | grep -q -x -e "white wins" -e "black wins" -e "draw: threefold repetition" ||
    fail "examples/play.c does not play to the end"
[ "$(wc -l <"$work/out")" -gt 6 ] || fail "examples/play.c plays too few turns"

# search: with distances the tables choose, and their first turn is that of probe.
first_turn() { "$work/probe" "$data/packed" 5x5 standard "$1" | sed -n '2s/ .*//p'; }
for position in "5/5/1W1B1/5/5 w" "B3B/5/2W2/5/W4 w"; do
    "$work/search" "$data/unpacked" 5x5 standard "$position" 4 >"$work/out"
    case $("$work/probe" "$data/packed" 5x5 standard "$position" | head -n 1) in
    *" in "*)
        printf 'best %s\nby the tables\n' "$(first_turn "$position")" >"$work/expected"
        diff "$work/expected" "$work/out" || fail "examples/search.c at $position"
        ;;
    *) grep -q "^score 0$" "$work/out" || fail "examples/search.c at the draw $position" ;;
    esac
done
# Beyond the tables, it captures into them and sees the win.
"$work/search" "$data/unpacked" 5x5 standard "B1B2/5/2B2/5/W1WW1 w" 4 >"$work/out"
grep -q "^score 23999$" "$work/out" || fail "examples/search.c does not see the win"
[ "$(sed -n 's/^probes //p' "$work/out")" -gt 0 ] || fail "examples/search.c probes nothing"
# A capture of the last stone is a mate, which is worth more than a win in a table.
"$work/search" "$data/unpacked" 5x5 standard "5/W4/W1B2/5/WWW2 w" 3 >"$work/out"
grep -q "^score 31999$" "$work/out" || fail "examples/search.c does not see the end of the game"

# line: a line to the end, and a search that a report stops.
"$work/line" "$data/packed" 5x5 standard "5/5/1W1B1/5/5 w" 1 >"$work/out"
dtw=$(sed -n '1s/.* in //p' "$work/out")
[ "$(wc -l <"$work/out")" = "$((dtw + 1))" ] || fail "examples/line.c has no line of $dtw turns"
"$work/line" "$data/packed" 9x5 free-capture \
    "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w" 1 >"$work/out" 2>"$work/log"
grep -q "^stopped: " "$work/out" || fail "a report does not stop examples/line.c"
[ "$(wc -l <"$work/log")" = 1 ] || fail "the reports of examples/line.c"

# games: a bad game among good ones, and what is written is read as the same.
printf '1. d3-e3A d4-d3A *\n\n1. d3e3A wrong\n\n[Board "5x5"]\n1. b2c3+ 1-0\n' >"$work/games.txt"
"$work/games" "$work/games.txt" >"$work/out"
grep -q "game 2: line 3, column 10" "$work/out" || fail "the fault that examples/games.c tells"
[ "$(grep -c "read and written from C" "$work/out")" = 2 ] || fail "examples/games.c"
grep -v "^; " "$work/out" >"$work/games.txt"
"$work/games" "$work/games.txt" | sed 's/{read and written from C} {read/{read/' >"$work/again"
diff -B "$work/games.txt" "$work/again" || fail "examples/games.c does not read what it writes"
echo "probe, play, search, line, games"
