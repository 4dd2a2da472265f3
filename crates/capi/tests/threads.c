/* Several threads use the same handles at the same time, and get the answers that one thread gets.
 *
 *     threads DATA REPOSITORY ROUNDS
 */
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, POSITIONS = 200 };

static const fanorona_game *game, *long_game;
static const fanorona_tables *tables;
static const fanorona_book *book;
static const fanorona_opponent *opponent;
static const fanorona_stop *stop;
static fanorona_position positions[POSITIONS], start, book_start, long_start;
static fanorona_table_value values[POSITIONS];
static unsigned rounds;

/* A search that would hardly ever end, until another thread sets the flag. */
static void search_for_ever(void) {
    fanorona_analyze_options options = fanorona_analyze_options_init();
    options.memory = 1 << 20;
    fanorona_analysis analysis = fanorona_analysis_init();
    CHECK(fanorona_analyze(long_game, NULL, &long_start, &options, stop, &analysis, NULL) ==
          FANORONA_OK);
    CHECK(analysis.end == FANORONA_END_STOPPED);
}

static void *work(void *argument) {
    const unsigned number = *(const unsigned *)argument;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < POSITIONS; i++) {
            const unsigned at = (i * 7 + number * 13) % POSITIONS;
            const fanorona_position *position = &positions[at];
            fanorona_table_value value;
            CHECK(fanorona_probe(tables, position, &value, NULL) == FANORONA_OK);
            CHECK(value.value == values[at].value && value.dtw == values[at].dtw);
            const int white = position->to_move == FANORONA_WHITE;
            fanorona_value wdl;
            CHECK(fanorona_wdl(tables, white ? position->white : position->black,
                               white ? position->black : position->white, &wdl,
                               NULL) == FANORONA_OK);
            CHECK(wdl == values[at].value);
        }
        fanorona_table_value many[POSITIONS];
        fanorona_status statuses[POSITIONS];
        CHECK(fanorona_probe_many(tables, positions, POSITIONS, many, statuses, NULL) == FANORONA_OK);
        CHECK(memcmp(many, values, sizeof many) == 0);
        size_t count;
        CHECK(fanorona_turns(game, &start, NULL, 0, &count, NULL) == FANORONA_OK && count > 0);
        fanorona_book_answer answer = fanorona_book_answer_init();
        CHECK(fanorona_book_lookup(book, NULL, &book_start, &answer, NULL) == FANORONA_OK);
        CHECK(answer.assessment.value == FANORONA_WIN && answer.has_turn);
        fanorona_limits limits = fanorona_limits_init();
        limits.depth = 2;
        fanorona_choice choice = fanorona_choice_init();
        CHECK(fanorona_opponent_choose(opponent, &start, NULL, 0, &limits, NULL, &choice, NULL) ==
              FANORONA_OK);
        CHECK(choice.depth == 2);
    }
    /* The flag is set by the first thread that gets here; all searches end. */
    fanorona_stop_set(stop);
    search_for_ever();
    return NULL;
}

static void *search(void *argument) {
    (void)argument;
    search_for_ever();
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 4);
    rounds = (unsigned)strtoul(argv[3], NULL, 10);
    CHECK(rounds > 0);
    fanorona_game *made = new_game("5x5", "standard"), *book_game = new_game("3x5", "standard");
    fanorona_game *other_game = new_game("9x5", "free-capture");
    game = made;
    long_game = other_game;
    OK(fanorona_start(long_game, &long_start, &error));
    OK(fanorona_start(game, &start, &error));
    OK(fanorona_start(book_game, &book_start, &error));
    fanorona_tables_options options = fanorona_tables_options_init();
    options.threads = 2;
    options.cache_bytes = 1;
    fanorona_tables *opened = NULL, *other = NULL;
    /* What one thread gets from one handle is compared with what all get from another one. */
    OK(fanorona_tables_open(game, path_of(argv[1], "packed"), NULL, &other, &error));
    OK(fanorona_tables_open(game, path_of(argv[1], "unpacked"), &options, &opened, &error));
    tables = opened;
    FILE *file = fopen(path_of(argv[1], "values.txt"), "r");
    CHECK(file != NULL);
    char line[1000];
    for (unsigned i = 0; i < POSITIONS; i++) {
        /* From all over the file. */
        for (int skipped = 0; skipped < 30; skipped++) {
            CHECK(fgets(line, sizeof line, file) != NULL);
        }
        line[strcspn(line, "\t")] = '\0';
        positions[i] = read_position(game, line);
        OK(fanorona_probe(other, &positions[i], &values[i], &error));
    }
    fclose(file);
    char path[4000];
    snprintf(path, sizeof path, "%s/data/proofs/3x5-standard.proof", argv[2]);
    const char *files[1] = {path};
    fanorona_book *opened_book = NULL;
    OK(fanorona_book_open(book_game, files, 1, &opened_book, &error));
    book = opened_book;
    fanorona_opponent_options player = fanorona_opponent_options_init();
    player.memory = 1 << 16;
    fanorona_opponent *opened_opponent = NULL;
    OK(fanorona_opponent_new(game, tables, NULL, &player, &opened_opponent, &error));
    opponent = opened_opponent;
    fanorona_stop *flag = fanorona_stop_new();
    stop = flag;

    pthread_t threads[THREADS], searching;
    unsigned numbers[THREADS];
    CHECK(pthread_create(&searching, NULL, search, NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(pthread_join(searching, NULL) == 0);

    /* In any order. */
    fanorona_game_free(made);
    fanorona_tables_free(opened);
    fanorona_tables_free(other);
    fanorona_opponent_free(opened_opponent);
    fanorona_book_free(opened_book);
    fanorona_game_free(book_game);
    fanorona_game_free(other_game);
    fanorona_stop_free(flag);
    printf("%d threads\n", THREADS);
    return 0;
}
