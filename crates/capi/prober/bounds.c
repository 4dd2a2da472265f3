/* Probes beyond the tables end: soon, and never with another value than the tables that are missing have.
 *
 *     bounds ALL SOME BOARD STONES
 *
 * ALL has all tables of the board up to STONES, SOME a part of them.
 */
#include "fano.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 20000, FAR = 2000 };

static int check(int is_right, const char *what, const fano_position *position) {
    if (!is_right)
        printf("%s: white %llx, black %llx, %s to move\n", what, (unsigned long long)position->white,
               (unsigned long long)position->black, position->black_to_move ? "black" : "white");
    return is_right;
}

static int is_within(int status, const fano_value *value, int known, const fano_value *expected) {
    return status == FANO_MISSING
        || (status == known
            && (status != FANO_OK
                || (value->result == expected->result
                    && (value->turns == expected->turns || value->turns < 0 || expected->turns < 0))));
}

/* The start of the game, which is far beyond the tables. */
static fano_position start_of(int width, int height) {
    fano_position start = {0, 0, 0};
    for (int point = 0; point < width * height; point++) {
        int rank = point / width, file = point % width, middle = width / 2;
        int is_white = rank != height / 2 ? rank < height / 2 : file < middle ? file % 2 : (width - 1 - file) % 2 == 0;
        if (rank != height / 2 || file != middle)
            *(is_white ? &start.white : &start.black) |= (uint64_t)1 << point;
    }
    return start;
}

/* An empty board is no position. */
static int refuses_nothing(fano_reader *reader) {
    fano_position none = {0, 0, 0};
    fano_value value = {9, 9};
    fano_turn turn;
    int good = 1;
    for (; none.black_to_move < 2; none.black_to_move++)
        good = good && fano_probe(reader, &none, &value) == FANO_ARGUMENT
            && fano_best_turn(reader, &none, &turn, &value) == FANO_ARGUMENT && value.turns == 9;
    return check(good, "an empty board is taken", &none);
}

int main(int words, char **word) {
    char message[256] = "bounds ALL SOME BOARD STONES";
    int width = 0, height = 0;
    fano_tables *all = words == 5 ? fano_open(word[1], word[3], "standard", message, sizeof message) : NULL;
    fano_tables *some = all ? fano_open(word[2], word[3], "standard", message, sizeof message) : NULL;
    fano_reader *right = some ? fano_reader_new(all, 4096) : NULL;
    fano_reader *reader = right ? fano_reader_new(some, 4096) : NULL;
    if (!reader || sscanf(word[3], "%dx%d", &width, &height) != 2) {
        printf("%s\n", message);
        return 2;
    }
    /* Where a search goes on without end, the test should not. */
    alarm(600);
    int points = width * height, good = refuses_nothing(reader), known = 0, missing = 0;
    uint64_t stones = strtoull(word[4], NULL, 10);
    const fano_position nothing = {0, 0, 0};
    for (int i = 0; i < COUNT && good; i++) {
        fano_position position = random_position(points, stones);
        fano_value value = {9, 9}, expected = {9, 9};
        fano_turn turn;
        int status = fano_probe(reader, &position, &value), full = fano_probe(right, &position, &expected);
        good = check(full == FANO_OK && is_within(status, &value, full, &expected), "the value", &position);
        known += status == FANO_OK;
        missing += status == FANO_MISSING;
        status = fano_best_turn(reader, &position, &turn, &value);
        full = fano_best_turn(right, &position, &turn, &expected);
        good = good && check(is_within(status, &value, full, &expected), "the best turn", &position);
    }
    good = good && check(known > COUNT / 10 && missing > COUNT / 10, "nothing is known, or all", &nothing);
    for (int i = 0; i < FAR && good; i++) {
        fano_position position = i == 0 ? start_of(width, height) : random_position(points, (uint64_t)points - 1);
        fano_value value;
        fano_turn turn;
        int status = fano_probe(reader, &position, &value);
        int best = fano_best_turn(reader, &position, &turn, &value);
        good = i == 0 ? status == FANO_MISSING && best == FANO_MISSING : status != FANO_DAMAGED && best != FANO_DAMAGED;
        good = check(good, "a status far beyond the tables", &position);
    }
    fano_reader_free(reader);
    fano_reader_free(right);
    fano_close(some);
    fano_close(all);
    printf("%s: %d positions known, %d missing%s\n", word[3], known, missing, good ? "" : ": WRONG");
    return !good;
}
