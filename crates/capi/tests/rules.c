/* Rules: counts of the suites, turns of random games, and turns made step by step.
 *
 *     rules DATA
 */
#include "check.h"

/* Cuts a line into its fields, separated by tabs. */
static size_t cut(char *line, char **fields, size_t most) {
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *field = strtok(line, "\t"); field != NULL; field = strtok(NULL, "\t")) {
        CHECK(count < most);
        fields[count++] = field;
    }
    return count;
}

static fanorona_game *game_of(const char *rules, const char *position) {
    /* The board follows from the position: try all. */
    for (int width = 3; width <= 21; width += 2) {
        for (int height = 3; height <= 21; height += 2) {
            char board[16];
            fanorona_game *game = NULL;
            fanorona_position read;
            snprintf(board, sizeof board, "%dx%d", width, height);
            if (fanorona_game_new(board, rules, &game, NULL) != FANORONA_OK) {
                CHECK(game == NULL);
                continue;
            }
            if (fanorona_position_read(game, position, &read, NULL) == FANORONA_OK) {
                return game;
            }
            fanorona_game_free(game);
        }
    }
    fprintf(stderr, "no board has the position %s under %s\n", position, rules);
    exit(1);
}

/* The sequences of so many turns. */
static uint64_t count_turns(const fanorona_game *game, const fanorona_position *position,
                            unsigned depth) {
    size_t count = 0;
    uint64_t sum = 0;
    if (depth == 0) {
        return 1;
    }
    OK(fanorona_turns(game, position, NULL, 0, &count, &error));
    if (depth == 1 || count == 0) {
        return count;
    }
    fanorona_turn *turns = calloc(count, sizeof *turns);
    CHECK(turns != NULL);
    OK(fanorona_turns(game, position, turns, count, &count, &error));
    for (size_t i = 0; i < count; i++) {
        const fanorona_position after = fanorona_after(position, &turns[i]);
        sum += count_turns(game, &after, depth - 1);
    }
    free(turns);
    return sum;
}

/* The counts that the suites expect. */
static void test_counts(const char *data) {
    FILE *file = fopen(path_of(data, "perft.txt"), "r");
    CHECK(file != NULL);
    char line[1000];
    unsigned lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[4];
        CHECK(cut(line, fields, 4) == 4);
        fanorona_game *game = game_of(fields[0], fields[1]);
        const fanorona_position position = read_position(game, fields[1]);
        const uint64_t count =
            count_turns(game, &position, (unsigned)strtoul(fields[2], NULL, 10));
        if (count != strtoull(fields[3], NULL, 10)) {
            fprintf(stderr, "%s %s depth %s: %llu, not %s\n", fields[0], fields[1], fields[2],
                    (unsigned long long)count, fields[3]);
            exit(1);
        }
        fanorona_game_free(game);
        lines++;
    }
    CHECK(lines > 1000);
    fclose(file);
    printf("%u counts\n", lines);
}

/* Makes a turn step by step, and checks that each step is offered. */
static void make_by_steps(const fanorona_game *game, const fanorona_position *position,
                          const fanorona_turn *turn) {
    fanorona_turn made;
    memset(&made, 0, sizeof made);
    for (unsigned i = 0; i < turn->num_steps; i++) {
        fanorona_step steps[600];
        size_t count = 0;
        int32_t may_stop = 7;
        OK(fanorona_next_steps(game, position, &made, steps, 600, &count, &may_stop, &error));
        CHECK(i > 0 || may_stop == 0);
        unsigned offered = 0;
        for (size_t j = 0; j < count; j++) {
            offered += memcmp(&steps[j], &turn->steps[i], sizeof steps[j]) == 0;
        }
        CHECK(offered == 1);
        OK(fanorona_add_step(game, position, &made, &turn->steps[i], &error));
        CHECK(made.num_steps == i + 1);
    }
    CHECK(memcmp(&made, turn, sizeof made) == 0);
    size_t count = 0;
    int32_t may_stop = 0;
    OK(fanorona_next_steps(game, position, &made, NULL, 0, &count, &may_stop, &error));
    CHECK(may_stop == 1);
}

/* Turns of random games, with their texts and the positions after them. */
static void test_turns(const char *data) {
    FILE *file = fopen(path_of(data, "turns.txt"), "r");
    CHECK(file != NULL);
    static fanorona_turn turns[20000];
    char line[1000];
    fanorona_game *game = NULL;
    fanorona_position position;
    memset(&position, 0, sizeof position);
    size_t count = 0, next = 0;
    unsigned positions = 0, checked = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[4];
        const size_t found = cut(line, fields, 4);
        char text[FANORONA_TURN_TEXT > FANORONA_POSITION_TEXT ? FANORONA_TURN_TEXT
                                                              : FANORONA_POSITION_TEXT];
        if (strcmp(fields[0], "position") == 0) {
            CHECK(found == 4 && next == count);
            fanorona_game_free(game);
            game = game_of(fields[1], fields[2]);
            position = read_position(game, fields[2]);
            OK(fanorona_position_text(game, &position, text, sizeof text, NULL, &error));
            CHECK(strcmp(text, fields[2]) == 0);
            const size_t expected = strtoul(fields[3], NULL, 10);
            OK(fanorona_turns(game, &position, NULL, 0, &count, &error));
            CHECK(count == expected);
            OK(fanorona_turns(game, &position, turns, 20000, &count, &error));
            CHECK(count == expected);
            if (count > 0) {
                /* With too little room the first ones are written. */
                fanorona_turn first;
                size_t all = 0;
                CHECK(fanorona_turns(game, &position, &first, 0, &all, NULL) == FANORONA_CAPACITY);
                CHECK(all == count);
                const fanorona_status status =
                    fanorona_turns(game, &position, &first, 1, &all, NULL);
                CHECK(status == (count > 1 ? FANORONA_CAPACITY : FANORONA_OK) && all == count);
                CHECK(memcmp(&first, &turns[0], sizeof first) == 0);
            }
            fanorona_result result;
            OK(fanorona_outcome(game, &position, &result, &error));
            CHECK((result == FANORONA_NOT_OVER) == (count > 0));
            next = 0;
            positions++;
            continue;
        }
        CHECK(found == 3 && strcmp(fields[0], "turn") == 0 && next < count);
        const fanorona_turn *turn = &turns[next++];
        OK(fanorona_turn_text(game, &position, turn, text, sizeof text, NULL, &error));
        CHECK(strcmp(text, fields[1]) == 0);
        fanorona_turn read;
        OK(fanorona_turn_read(game, &position, fields[1], &read, &error));
        CHECK(memcmp(&read, turn, sizeof read) == 0);
        make_by_steps(game, &position, turn);
        const fanorona_position expected = read_position(game, fields[2]);
        const fanorona_position after = fanorona_after(&position, turn);
        CHECK(same_position(&after, &expected));
        fanorona_position played = position;
        /* The output may be the input. */
        OK(fanorona_play(game, &played, turn, &played, &error));
        CHECK(same_position(&played, &expected));
        checked++;
    }
    CHECK(next == count && positions > 100 && checked > 1000);
    fanorona_game_free(game);
    fclose(file);
    printf("%u turns of %u positions\n", checked, positions);
}

static void test_boards(void) {
    fanorona_game *game = new_game("9x5", "standard+no-turns-draw");
    int32_t width = 0, height = 0;
    OK(fanorona_game_board(game, &width, &height, &error));
    CHECK(width == 9 && height == 5);
    char text[FANORONA_RULES_TEXT];
    size_t length = 0;
    OK(fanorona_game_rules(game, text, sizeof text, &length, &error));
    CHECK(strcmp(text, "standard+no-turns-draw") == 0 && length == strlen(text));
    char point[FANORONA_POINT_TEXT];
    OK(fanorona_point_text(game, 0, point, sizeof point, NULL, &error));
    CHECK(strcmp(point, "a1") == 0);
    OK(fanorona_point_text(game, 44, point, sizeof point, NULL, &error));
    CHECK(strcmp(point, "i5") == 0);
    fanorona_position start, read;
    OK(fanorona_start(game, &start, &error));
    read = read_position(game, "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w");
    CHECK(same_position(&start, &read));
    /* Two sets of bits: a1 to i2, and b3, d3, g3, i3. */
    CHECK(start.white == (UINT64_C(0x3ffff) | UINT64_C(1) << 19 | UINT64_C(1) << 21 |
                          UINT64_C(1) << 24 | UINT64_C(1) << 26));
    OK(fanorona_position_check(game, &start, &error));
    fanorona_game_free(game);

    fanorona_stop *stop = fanorona_stop_new();
    CHECK(fanorona_stop_is_set(stop) == 0);
    fanorona_stop_set(stop);
    CHECK(fanorona_stop_is_set(stop) == 1);
    fanorona_stop_clear(stop);
    CHECK(fanorona_stop_is_set(stop) == 0);
    fanorona_stop_free(stop);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    test_boards();
    test_counts(argv[1]);
    test_turns(argv[1]);
    return 0;
}
