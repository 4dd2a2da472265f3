/* Compares answers of the prober and of libfanorona from a part of the tables of 5x5 with those from all to 4
 * stones: they may say less, but nothing else. Prints the answers, those with a distance, and those without the
 * distance that there is.
 *
 *     partial ALL PART
 */
#include "fano.h"
#include "fanorona.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

static unsigned answers, distances, without;

static int fail(const fano_position *position, const char *what) {
    printf("white %llx, black %llx, %s to move: %s\n", (unsigned long long)position->white,
           (unsigned long long)position->black, position->black_to_move ? "black" : "white", what);
    return 1;
}

/* Whether an assessment says nothing that is not so. */
static int is_true(const fanorona_assessment *told, const fanorona_assessment *so) {
    answers++;
    distances += told->dtw >= 0;
    without += told->dtw < 0 && told->value != FANORONA_UNKNOWN && so->dtw >= 0;
    if (told->at_least > so->value || told->at_most < so->value)
        return 0;
    if (told->value != FANORONA_UNKNOWN && told->value != so->value)
        return 0;
    return told->dtw < 0 || (told->value != FANORONA_UNKNOWN && told->dtw == so->dtw);
}

static int check(const fanorona_game *game, const fanorona_tables *all, const fanorona_tables *part,
                 fano_reader *reader, const fano_position *position) {
    static fanorona_ranked_turn told[5000], so[5000];
    fanorona_position same = {position->white, position->black, position->black_to_move};
    fanorona_assessment here, right;
    size_t count = 0, expected = 0;
    if (fanorona_assess(game, all, NULL, &same, &right, NULL) != FANORONA_OK
        || fanorona_assess(game, part, NULL, &same, &here, NULL) != FANORONA_OK
        || fanorona_assess_turns(game, all, NULL, &same, so, 5000, &expected, NULL) != FANORONA_OK
        || fanorona_assess_turns(game, part, NULL, &same, told, 5000, &count, NULL) != FANORONA_OK)
        return fail(position, "no answer");
    if (!is_true(&here, &right))
        return fail(position, "the assessment");
    if (count != expected)
        return fail(position, "the number of turns");
    const fanorona_assessment *best = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < count && memcmp(&told[i].turn, &so[j].turn, sizeof told[i].turn) != 0)
            j++;
        if (j == count || !is_true(&told[i].assessment, &so[j].assessment))
            return fail(position, "the assessment of a turn");
        best = i == 0 ? &so[j].assessment : best;
    }
    if (count > 0 && told[0].assessment.at_least > FANORONA_LOSS && best->value < here.at_least)
        return fail(position, "the first turn gives the value away");

    if (!reader)
        return 0;
    fano_value value = {9, 9};
    int status = fano_probe(reader, position, &value);
    if (status != FANO_OK && status != FANO_MISSING)
        return fail(position, "the status of the prober");
    if (status == FANO_OK && (value.result != right.value || (value.turns >= 0 && value.turns != right.dtw)))
        return fail(position, "the value of the prober");
    fano_turn turn;
    status = fano_best_turn(reader, position, &turn, &value);
    if (status != FANO_OK)
        return status == FANO_MISSING || (status == FANO_NO_TURN && count == 0)
            ? 0 : fail(position, "the status of the prober's best turn");
    if (value.result != right.value || (value.turns >= 0 && value.turns != right.dtw))
        return fail(position, "the value of the prober's best turn");
    fano_position next = fano_play(position, &turn);
    fanorona_position after = {next.white, next.black, next.black_to_move};
    fanorona_assessment reply;
    if (fanorona_assess(game, all, NULL, &after, &reply, NULL) != FANORONA_OK || reply.value != -right.value
        || (value.turns >= 0 && reply.dtw != right.dtw - 1))
        return fail(position, "the prober's best turn");
    return 0;
}

int main(int words, char **word) {
    fanorona_game *game;
    fanorona_tables *all, *part;
    char message[256];
    if (words != 3 || fanorona_game_new("5x5", "standard", &game, NULL) != FANORONA_OK
        || fanorona_tables_open(game, word[1], NULL, &all, NULL) != FANORONA_OK
        || fanorona_tables_open(game, word[2], NULL, &part, NULL) != FANORONA_OK) {
        fprintf(stderr, "usage: %s ALL PART\n", word[0]);
        return 2;
    }
    /* No table may be left. */
    fano_tables *tables = fano_open(word[2], "5x5", "standard", message, sizeof message);
    fano_reader *reader = tables ? fano_reader_new(tables, 64) : NULL;
    int failed = 0;
    for (unsigned i = 0; i < 400 && !failed; i++) {
        fano_position position = random_position(25, 4);
        position.black_to_move = (int)(i & 1);
        failed = check(game, all, part, reader, &position);
    }
    if (!failed)
        printf("%u %u %u\n", answers, distances, without);
    fano_reader_free(reader);
    fano_close(tables);
    fanorona_tables_free(part);
    fanorona_tables_free(all);
    fanorona_game_free(game);
    return failed;
}
