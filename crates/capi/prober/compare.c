/* Compares the prober with libfanorona: all positions of a small board, or random ones of up to STONES.
 *
 *     compare DIRECTORY BOARD RULES [COUNT STONES]
 */
#include "fano.h"
#include "fanorona.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const fano_position *position, const char *what, int ours, int theirs) {
    printf("white %llx, black %llx, %s to move: %s %d, and libfanorona says %d\n",
           (unsigned long long)position->white, (unsigned long long)position->black,
           position->black_to_move ? "black" : "white", what, ours, theirs);
    return 1;
}

static int compare(fano_reader *reader, const fanorona_game *game, const fanorona_tables *tables,
                   const fano_position *position, int with_turn) {
    fano_value value = {9, 9};
    fanorona_table_value expected;
    fanorona_position same = {position->white, position->black, position->black_to_move};
    int status = fano_probe(reader, position, &value);
    fanorona_status other = fanorona_probe(tables, &same, &expected, NULL);
    /* Without a table of its own, a position is known here if it must capture and the other tables are there. */
    if (other == FANORONA_NO_TABLE && (status == FANO_OK || status == FANO_MISSING))
        return 0;
    if ((status == FANO_OK) != (other == FANORONA_OK))
        return fail(position, "status", status, other);
    if (status != FANO_OK)
        return 0;
    if (value.result != expected.value)
        return fail(position, "result", value.result, expected.value);
    if (value.turns != expected.dtw)
        return fail(position, "turns", value.turns, expected.dtw);
    if (!with_turn)
        return 0;
    static fanorona_ranked_turn ranked[100000];
    size_t count = 0;
    fano_turn turn;
    other = fanorona_rank(tables, &same, ranked, 100000, &count, NULL);
    status = fano_best_turn(reader, position, &turn, &value);
    if (status == FANO_NO_TURN && other == FANORONA_OK && count == 0)
        return 0;
    if (status != FANO_OK || other != FANORONA_OK)
        return status == FANO_MISSING && other == FANORONA_NO_TABLE ? 0
            : fail(position, "status of the best turn", status, other);
    /* Without tables of distances, libfanorona looks one turn further. */
    int has_distance = value.turns >= 0 || expected.dtw >= 0;
    if (value.result != ranked[0].assessment.value || (has_distance && value.turns != ranked[0].assessment.dtw))
        return fail(position, "value of the best turn", value.turns, ranked[0].assessment.dtw);
    /* The turn is one of those with this value. */
    fano_position after = fano_play(position, &turn);
    for (size_t i = 0; i < count; i++)
        if (ranked[i].after.white == after.white && ranked[i].after.black == after.black
            && ranked[i].turn.num_steps == turn.steps && ranked[i].assessment.value == value.result
            && (!has_distance || ranked[i].assessment.dtw == value.turns))
            return 0;
    (void)game;
    return fail(position, "steps of the best turn", turn.steps, ranked[0].turn.num_steps);
}

int main(int words, char **word) {
    if (words != 4 && words != 6) {
        fprintf(stderr, "usage: %s DIRECTORY BOARD RULES [COUNT STONES]\n", word[0]);
        return 2;
    }
    char message[256];
    fano_tables *tables = fano_open(word[1], word[2], word[3], message, sizeof message);
    if (!tables) {
        printf("%s\n", message);
        return 1;
    }
    fano_reader *reader = fano_reader_new(tables, 4096);
    fanorona_game *game;
    fanorona_tables *other;
    if (!reader || fanorona_game_new(word[2], word[3], &game, NULL) != FANORONA_OK
        || fanorona_tables_open(game, word[1], NULL, &other, NULL) != FANORONA_OK) {
        printf("libfanorona does not open the tables\n");
        return 1;
    }
    int width = 0, height = 0;
    if (sscanf(word[2], "%dx%d", &width, &height) != 2)
        return 1;
    int points = width * height, failed = 0;
    uint64_t positions = 0;
    if (words == 4) {
        uint64_t all = 1;
        for (int i = 0; i < points; i++)
            all *= 3;
        for (uint64_t number = 0; number < all && !failed; number++) {
            fano_position position = {0, 0, 0};
            uint64_t left = number;
            for (int point = 0; point < points; point++, left /= 3) {
                if (left % 3 == 1)
                    position.white |= (uint64_t)1 << point;
                if (left % 3 == 2)
                    position.black |= (uint64_t)1 << point;
            }
            if (position.white == 0 || position.black == 0)
                continue;
            for (int side = 0; side < 2 && !failed; side++, positions++) {
                position.black_to_move = side;
                failed = compare(reader, game, other, &position, (number + (uint64_t)side) % 16 == 0);
            }
        }
    } else {
        uint64_t wanted = strtoull(word[4], NULL, 10), stones = strtoull(word[5], NULL, 10);
        for (; positions < wanted && !failed; positions++) {
            fano_position position = random_position(points, stones);
            position.black_to_move = (int)(positions & 1);
            failed = compare(reader, game, other, &position, positions % 16 == 0);
        }
    }
    printf("%s %s: %llu positions %s\n", word[2], word[3], (unsigned long long)positions, failed ? "" : "agree");
    fanorona_tables_free(other);
    fanorona_game_free(game);
    fano_reader_free(reader);
    fano_close(tables);
    return failed;
}
