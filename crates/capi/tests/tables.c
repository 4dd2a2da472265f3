/* Tables: values of packed and unpacked ones, one at a time and many, and ranked turns.
 *
 *     tables DATA
 */
#include "check.h"

enum { MOST = 10000 };
static fanorona_position positions[MOST + 1];
static fanorona_table_value expected[MOST + 1], values[MOST + 1];
static fanorona_status statuses[MOST + 1];

static size_t read_values(const fanorona_game *game, const char *data) {
    FILE *file = fopen(path_of(data, "values.txt"), "r");
    CHECK(file != NULL);
    char line[1000];
    size_t count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, '\t');
        CHECK(count < MOST && value != NULL);
        *value++ = '\0';
        char *dtw = strchr(value, '\t');
        CHECK(dtw != NULL);
        positions[count] = read_position(game, line);
        expected[count].value = (fanorona_value)strtol(value, NULL, 10);
        expected[count].dtw = (int32_t)strtol(dtw, NULL, 10);
        count++;
    }
    fclose(file);
    CHECK(count > 1000);
    return count;
}

static void own_and_opponent(const fanorona_position *position, uint64_t *own, uint64_t *opponent) {
    const int white = position->to_move == FANORONA_WHITE;
    *own = white ? position->white : position->black;
    *opponent = white ? position->black : position->white;
}

static int same_value(const fanorona_table_value *a, const fanorona_table_value *b) {
    return a->value == b->value && a->dtw == b->dtw;
}

/* The order of values: sooner wins, draws, later losses. */
static int preference(const fanorona_assessment *known) {
    const int dtw = known->dtw;
    /* The latest of the wins is one of unknown distance; such a loss is between those in 4 and 6. */
    if (known->value > 0) {
        return 100000 - (dtw < 0 ? 99999 : dtw);
    }
    return known->value < 0 ? -100000 + (dtw < 0 ? 5 : dtw) : 0;
}

static void test_rank(const fanorona_game *game, const fanorona_tables *tables,
                      const fanorona_position *position, const fanorona_table_value *value) {
    static fanorona_ranked_turn turns[1000];
    static fanorona_turn listed[1000];
    size_t count = 0, all = 0;
    OK(fanorona_turns(game, position, listed, 1000, &all, &error));
    OK(fanorona_rank(tables, position, turns, 1000, &count, &error));
    CHECK(count == all);
    if (count == 0) {
        return;
    }
    /* Distances of the turns may be known although that of the position is not. */
    CHECK(turns[0].assessment.value == value->value);
    CHECK(turns[0].assessment.dtw == value->dtw || value->dtw < 0);
    for (size_t i = 0; i < count; i++) {
        fanorona_table_value after;
        fanorona_position played;
        OK(fanorona_play(game, position, &turns[i].turn, &played, &error));
        CHECK(same_position(&played, &turns[i].after));
        OK(fanorona_probe(tables, &turns[i].after, &after, &error));
        CHECK(turns[i].assessment.value == -after.value);
        CHECK(turns[i].assessment.dtw == (after.dtw < 0 ? -1 : after.dtw + 1) || value->dtw < 0);
        CHECK(i == 0 || preference(&turns[i - 1].assessment) >= preference(&turns[i].assessment));
    }
    fanorona_ranked_turn best;
    const fanorona_status status = fanorona_rank(tables, position, &best, 1, &all, NULL);
    CHECK(status == (count > 1 ? FANORONA_CAPACITY : FANORONA_OK) && all == count);
    CHECK(memcmp(&best.turn, &turns[0].turn, sizeof best.turn) == 0);
}

static void test_directory(const fanorona_game *game, const char *directory, uint32_t flags,
                           size_t count) {
    fanorona_tables_options options = fanorona_tables_options_init();
    options.flags = flags;
    options.threads = 2;
    options.cache_bytes = 1 << 16;
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, directory, &options, &tables, &error));
    uint32_t complete = 0;
    OK(fanorona_tables_prepare(tables, 99, &complete, &error));
    CHECK(complete == 5);
    OK(fanorona_tables_prepare(tables, 4, &complete, &error));
    CHECK(complete == 4);
    for (size_t i = 0; i < count; i++) {
        fanorona_table_value value;
        OK(fanorona_probe(tables, &positions[i], &value, &error));
        CHECK(same_value(&value, &expected[i]));
        uint64_t own, opponent;
        own_and_opponent(&positions[i], &own, &opponent);
        fanorona_value wdl = 7;
        OK(fanorona_wdl(tables, own, opponent, &wdl, &error));
        CHECK(wdl == expected[i].value);
        if (i % 10 == 0) {
            test_rank(game, tables, &positions[i], &expected[i]);
        }
    }
    OK(fanorona_probe_many(tables, positions, count, values, statuses, &error));
    for (size_t i = 0; i < count; i++) {
        CHECK(statuses[i] == FANORONA_OK && same_value(&values[i], &expected[i]));
    }
    /* One of them has no table, one is not a position: the others have their values. */
    const fanorona_position kept[2] = {positions[3], positions[5]};
    OK(fanorona_start(game, &positions[3], &error));
    positions[5].black = positions[5].white;
    EXPECT(FANORONA_NO_TABLE,
           fanorona_probe_many(tables, positions, count, values, statuses, &error));
    CHECK(statuses[3] == FANORONA_NO_TABLE && statuses[5] == FANORONA_BAD_POSITION);
    CHECK(values[3].value == FANORONA_UNKNOWN && values[5].value == FANORONA_UNKNOWN);
    for (size_t i = 0; i < count; i++) {
        CHECK(i == 3 || i == 5 || (statuses[i] == FANORONA_OK && same_value(&values[i], &expected[i])));
    }
    positions[3] = kept[0];
    positions[5] = kept[1];
    OK(fanorona_probe_many(tables, NULL, 0, NULL, NULL, &error));
    fanorona_tables_free(tables);
}

/* Where the game is over, the distance is 0; and -1, as everywhere, without tables with distances. */
static void test_finished(const fanorona_game *game, const char *data) {
    const fanorona_position over = read_position(game, "5/5/5/5/4B w");
    const char *names[2] = {"packed", "six"};
    for (int i = 0; i < 2; i++) {
        const int32_t dtw = i == 0 ? 0 : -1;
        char directory[4000];
        snprintf(directory, sizeof directory, "%s/%s", data, names[i]);
        fanorona_tables *tables = NULL;
        OK(fanorona_tables_open(game, directory, NULL, &tables, &error));
        fanorona_table_value value;
        OK(fanorona_probe(tables, &over, &value, &error));
        CHECK(value.value == FANORONA_LOSS && value.dtw == dtw);
        OK(fanorona_probe_many(tables, &over, 1, &value, statuses, &error));
        CHECK(statuses[0] == FANORONA_OK && value.value == FANORONA_LOSS && value.dtw == dtw);
        fanorona_tables_free(tables);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    fanorona_game *game = new_game("5x5", "standard");
    const size_t count = read_values(game, argv[1]);
    char directory[4000];
    const char *names[2] = {"packed", "unpacked"};
    for (int i = 0; i < 2; i++) {
        snprintf(directory, sizeof directory, "%s/%s", argv[1], names[i]);
        for (uint32_t flags = 0; flags < 4; flags++) {
            test_directory(game, directory, flags, count);
        }
    }
    test_finished(game, argv[1]);
    fanorona_game_free(game);
    printf("%zu values in 8 ways\n", count);
    return 0;
}
