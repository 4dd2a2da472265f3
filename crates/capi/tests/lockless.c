/* Several threads probe mapped, unpacked tables that are open, and use the rules. Nothing is locked
 * or written there, so that helgrind, which knows no locks but those of pthreads, has nothing to
 * report. What prepares the tables divides its work among threads, and is seen here too.
 *
 *     lockless DATA
 */
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, POSITIONS = 100 };

static const fanorona_game *game;
static const fanorona_tables *tables;
static fanorona_position positions[POSITIONS];
static fanorona_table_value values[POSITIONS];
static size_t counts[POSITIONS];

static void use(unsigned at, fanorona_table_value *value, size_t *turns) {
    const fanorona_position *position = &positions[at];
    const int white = position->to_move == FANORONA_WHITE;
    fanorona_value wdl;
    CHECK(fanorona_probe(tables, position, value, NULL) == FANORONA_OK);
    CHECK(fanorona_wdl(tables, white ? position->white : position->black,
                       white ? position->black : position->white, &wdl, NULL) == FANORONA_OK);
    CHECK(wdl == value->value);
    CHECK(fanorona_turns(game, position, NULL, 0, turns, NULL) == FANORONA_OK);
    fanorona_ranked_turn best;
    size_t ranked;
    const fanorona_status status = fanorona_rank(tables, position, &best, 1, &ranked, NULL);
    CHECK(status == FANORONA_OK || status == FANORONA_CAPACITY);
    CHECK(ranked == *turns);
    if (ranked > 0) {
        fanorona_position after;
        CHECK(best.assessment.value == value->value);
        CHECK(fanorona_play(game, position, &best.turn, &after, NULL) == FANORONA_OK);
        CHECK(same_position(&after, &best.after));
    }
}

static void *work(void *argument) {
    const unsigned first = *(const unsigned *)argument;
    for (unsigned i = 0; i < POSITIONS; i++) {
        const unsigned at = (i + first) % POSITIONS;
        fanorona_table_value value;
        size_t count;
        use(at, &value, &count);
        CHECK(value.value == values[at].value && value.dtw == values[at].dtw);
        CHECK(count == counts[at]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    fanorona_game *made = new_game("5x5", "standard");
    game = made;
    fanorona_tables_options options = fanorona_tables_options_init();
    options.flags = FANORONA_TABLES_MAP;
    fanorona_tables *opened = NULL;
    OK(fanorona_tables_open(game, path_of(argv[1], "unpacked"), &options, &opened, &error));
    uint32_t complete = 0;
    OK(fanorona_tables_prepare(opened, 5, &complete, &error));
    CHECK(complete == 5);
    tables = opened;
    /* Six stones are enough for two threads. */
    options.threads = 2;
    fanorona_tables *prepared = NULL;
    OK(fanorona_tables_open(game, path_of(argv[1], "six"), &options, &prepared, &error));
    OK(fanorona_tables_prepare(prepared, 6, &complete, &error));
    CHECK(complete == 6);
    fanorona_tables_free(prepared);
    FILE *file = fopen(path_of(argv[1], "values.txt"), "r");
    CHECK(file != NULL);
    char line[1000];
    for (unsigned i = 0; i < POSITIONS; i++) {
        for (int skipped = 0; skipped < 60; skipped++) {
            CHECK(fgets(line, sizeof line, file) != NULL);
        }
        line[strcspn(line, "\t")] = '\0';
        positions[i] = read_position(game, line);
        use(i, &values[i], &counts[i]);
    }
    fclose(file);
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i * 17;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    fanorona_tables_free(opened);
    fanorona_game_free(made);
    printf("%d threads without locks\n", THREADS);
    return 0;
}
