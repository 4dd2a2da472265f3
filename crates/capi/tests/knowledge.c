/* Tests assessments of positions, best lines, and the progress of searches.
 *
 *     knowledge DATA REPOSITORY
 */
#include "check.h"

static int same(const fanorona_assessment *a, const fanorona_assessment *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Lines from positions of the tables keep the value and end the game in the turns that they say. */
static void test_lines(const fanorona_game *game, const fanorona_tables *tables, const char *data) {
    FILE *file = fopen(path_of(data, "values.txt"), "r");
    CHECK(file != NULL);
    char line[1000];
    unsigned finished = 0, drawn = 0;
    for (unsigned i = 0; fgets(line, sizeof line, file) != NULL; i++) {
        if (i % 20 != 0) {
            continue;
        }
        char *value = strchr(line, '\t');
        *value++ = '\0';
        const long expected = strtol(value, &value, 10), dtw = strtol(value, NULL, 10);
        const fanorona_position position = read_position(game, line);
        fanorona_assessment known;
        OK(fanorona_assess(game, tables, NULL, &position, &known, &error));
        CHECK(known.value == expected && known.at_least == expected && known.at_most == expected);
        /* Where tables do not have the distance, that of a turn may be known. */
        CHECK(known.dtw == dtw || dtw < 0);
        fanorona_ranked_turn turns[100], ranked[1000];
        size_t count = 77, all = 0;
        fanorona_line_end end = -1;
        OK(fanorona_line(game, tables, NULL, &position, turns, 100, &count, &end, &error));
        if (known.dtw > 0 && dtw > 0) {
            CHECK(end == FANORONA_LINE_FINISHED && count == (size_t)dtw);
            finished++;
        }
        drawn += end == FANORONA_LINE_REPETITION;
        fanorona_position at = position;
        for (size_t turn = 0; turn < count; turn++) {
            fanorona_position after;
            OK(fanorona_play(game, &at, &turns[turn].turn, &after, &error));
            CHECK(same_position(&after, &turns[turn].after));
            CHECK(turns[turn].assessment.value == (turn % 2 == 0 ? expected : -expected));
            at = after;
        }
        OK(fanorona_assess_turns(game, tables, NULL, &position, ranked, 1000, &all, &error));
        CHECK(count == 0 || memcmp(&ranked[0].turn, &turns[0].turn, sizeof ranked[0].turn) == 0);
        if (count > 1) {
            OK(fanorona_line(game, tables, NULL, &position, turns, 1, &count, &end, &error));
            CHECK(count == 1 && end == FANORONA_LINE_LENGTH);
        }
    }
    fclose(file);
    CHECK(finished > 50 && drawn > 5);
}

/* Without tables and a certificate, nothing or little is known, and that is no failure. */
static void test_unknown(const char *data) {
    fanorona_game *game = new_game("9x5", "free-capture");
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_position start;
    fanorona_assessment known;
    fanorona_ranked_turn turns[1000];
    size_t count = 0;
    fanorona_line_end end = -1;
    OK(fanorona_start(game, &start, &error));
    OK(fanorona_assess(game, tables, NULL, &start, &known, &error));
    CHECK(known.value == FANORONA_UNKNOWN && known.at_least == FANORONA_LOSS);
    CHECK(known.at_most == FANORONA_WIN && known.dtw == -1 && known.source == FANORONA_SOURCE_NONE);
    OK(fanorona_line(game, NULL, NULL, &start, turns, 1000, &count, &end, &error));
    CHECK(count == 0 && end == FANORONA_LINE_UNKNOWN);
    OK(fanorona_assess_turns(game, NULL, NULL, &start, turns, 1000, &count, &error));
    CHECK(count > 0 && same(&turns[0].assessment, &known));
    EXPECT(FANORONA_NO_TABLE, fanorona_rank(tables, &start, turns, 1000, &count, &error));
    size_t needed = 0;
    EXPECT(FANORONA_CAPACITY,
           fanorona_assess_turns(game, NULL, NULL, &start, turns, 1, &needed, &error));
    CHECK(needed == count);
    /* The turn that takes the last stone needs no table. */
    const fanorona_position last = read_position(game, "9/9/9/W1B6/9 w");
    OK(fanorona_assess(game, NULL, NULL, &last, &known, &error));
    CHECK(known.value == FANORONA_WIN && known.dtw == 1 && known.source == FANORONA_SOURCE_RULES);
    OK(fanorona_line(game, NULL, NULL, &last, turns, 1000, &count, &end, &error));
    CHECK(count == 1 && end == FANORONA_LINE_FINISHED);
    fanorona_game *other = new_game("3x3", "standard");
    OK(fanorona_start(other, &start, &error));
    EXPECT(FANORONA_OTHER_GAME, fanorona_assess(other, tables, NULL, &start, &known, &error));
    fanorona_game_free(other);
    fanorona_tables_free(tables);
    fanorona_game_free(game);
}

static void test_book(const char *repository) {
    char file[4000];
    snprintf(file, sizeof file, "%s/data/proofs/3x5-standard.proof", repository);
    const char *files[1] = {file};
    fanorona_game *game = new_game("3x5", "standard");
    fanorona_book *book = NULL;
    OK(fanorona_book_open(game, files, 1, &book, &error));
    fanorona_position start;
    fanorona_assessment known;
    fanorona_ranked_turn turns[50];
    size_t count = 0;
    fanorona_line_end end = -1;
    OK(fanorona_start(game, &start, &error));
    OK(fanorona_assess(game, NULL, book, &start, &known, &error));
    CHECK(known.value == FANORONA_WIN && known.source == FANORONA_SOURCE_PROOF);
    /* That of the library says the same. */
    fanorona_assessment without_book;
    OK(fanorona_assess(game, NULL, NULL, &start, &without_book, &error));
    CHECK(same(&known, &without_book));
    OK(fanorona_line(game, NULL, book, &start, turns, 50, &count, &end, &error));
    CHECK(count > 0 && turns[0].assessment.value == FANORONA_WIN);
    fanorona_book_free(book);
    fanorona_game_free(game);
}

/* Counts reports, and stops at one of them. A search is stopped when it has counted positions, too. */
typedef struct heard {
    unsigned reports, stop_at;
    uint64_t nodes;
    uint32_t depth;
    int has_turn, has_stopped;
} heard;

static int32_t on_search(const fanorona_search_report *report, void *data) {
    heard *all = data;
    CHECK(report->struct_size == sizeof *report && report->nodes >= all->nodes);
    CHECK(report->memory_filled <= 1000 && report->depth >= all->depth && !all->has_stopped);
    all->nodes = report->nodes;
    all->depth = report->depth;
    all->has_turn = report->has_turn;
    all->has_stopped = ++all->reports >= all->stop_at && all->nodes > 0;
    return all->has_stopped;
}

static void test_searches(void) {
    fanorona_game *game = new_game("9x5", "free-capture");
    fanorona_position start;
    OK(fanorona_start(game, &start, &error));
    /* Without a limit these would take very long. */
    for (int with_flag = 0; with_flag < 2; with_flag++) {
        fanorona_stop *stop = with_flag ? fanorona_stop_new() : NULL;
        heard all = {0};
        all.stop_at = 2;
        fanorona_analyze_options options = fanorona_analyze_options_init();
        options.progress = on_search;
        options.progress_data = &all;
        fanorona_analysis analysis = fanorona_analysis_init();
        OK(fanorona_analyze(game, NULL, &start, &options, stop, &analysis, &error));
        CHECK(analysis.end == FANORONA_END_STOPPED && analysis.nodes >= all.nodes);
        CHECK(all.has_stopped && all.depth == 0);
        CHECK(fanorona_stop_is_set(stop) == with_flag);
        fanorona_stop_clear(stop);

        heard other = {0};
        other.stop_at = 3;
        fanorona_limits limits = fanorona_limits_init();
        limits.progress = on_search;
        limits.progress_data = &other;
        fanorona_opponent_options player = fanorona_opponent_options_init();
        player.memory = 1 << 20;
        fanorona_opponent *opponent = NULL;
        OK(fanorona_opponent_new(game, NULL, NULL, &player, &opponent, &error));
        fanorona_choice choice = fanorona_choice_init();
        OK(fanorona_opponent_choose(opponent, &start, NULL, 0, &limits, stop, &choice, &error));
        CHECK(choice.end == FANORONA_END_STOPPED && choice.turn.num_steps > 0);
        CHECK(other.has_stopped && other.depth > 0 && other.depth <= choice.depth && other.has_turn);
        CHECK(fanorona_stop_is_set(stop) == with_flag);
        fanorona_opponent_free(opponent);
        fanorona_stop_free(stop);
    }
    fanorona_game_free(game);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    fanorona_game *game = new_game("5x5", "standard");
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(argv[1], "packed"), NULL, &tables, &error));
    test_lines(game, tables, argv[1]);
    test_unknown(argv[1]);
    test_book(argv[2]);
    test_searches();
    fanorona_tables_free(tables);
    fanorona_game_free(game);
    puts("assessments, lines, reports");
    return 0;
}
