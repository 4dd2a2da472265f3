/* Bad input: every argument NULL in turn, texts and stones that are wrong, too little room, damaged
 * and missing files.
 *
 *     bad_input DATA
 */
#include "check.h"

static fanorona_game *game;
static fanorona_position start;

/* Calls with one argument NULL after the other. */
static void test_null(const char *data) {
    fanorona_game *none = NULL;
    fanorona_tables *tables = NULL;
    fanorona_opponent *opponent = NULL;
    fanorona_position position = start;
    fanorona_turn turn;
    fanorona_step step;
    size_t count = 0;
    int32_t number = 0;
    uint32_t complete = 0;
    fanorona_table_value value;
    fanorona_status status = 0;
    fanorona_ranked_turn ranked;
    fanorona_analysis analysis = fanorona_analysis_init();
    fanorona_book_answer answer = fanorona_book_answer_init();
    fanorona_choice choice = fanorona_choice_init();
    char text[200];
    const char *file = "file";
#define BAD(call) EXPECT(FANORONA_ARGUMENT, call)
    OK(fanorona_turn_read(game, &start, "d3-e3A", &turn, &error));
    step = turn.steps[0];
    OK(fanorona_tables_open(game, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_opponent_options options = fanorona_opponent_options_init();
    options.memory = 1;
    OK(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));

    BAD(fanorona_game_new(NULL, "standard", &none, &error));
    BAD(fanorona_game_new("9x5", NULL, &none, &error));
    BAD(fanorona_game_new("9x5", "standard", NULL, &error));
    BAD(fanorona_game_board(NULL, &number, &number, &error));
    BAD(fanorona_game_board(game, NULL, &number, &error));
    BAD(fanorona_game_board(game, &number, NULL, &error));
    BAD(fanorona_game_rules(NULL, text, sizeof text, &count, &error));
    BAD(fanorona_game_rules(game, NULL, sizeof text, &count, &error));
    BAD(fanorona_start(NULL, &position, &error));
    BAD(fanorona_start(game, NULL, &error));
    BAD(fanorona_position_check(NULL, &position, &error));
    BAD(fanorona_position_check(game, NULL, &error));
    BAD(fanorona_position_read(NULL, "", &position, &error));
    BAD(fanorona_position_read(game, NULL, &position, &error));
    BAD(fanorona_position_read(game, "", NULL, &error));
    BAD(fanorona_position_text(NULL, &position, text, sizeof text, &count, &error));
    BAD(fanorona_position_text(game, NULL, text, sizeof text, &count, &error));
    BAD(fanorona_position_text(game, &position, NULL, sizeof text, &count, &error));
    BAD(fanorona_point_text(NULL, 0, text, sizeof text, &count, &error));
    BAD(fanorona_point_text(game, 0, NULL, sizeof text, &count, &error));
    BAD(fanorona_point_text(game, -1, text, sizeof text, &count, &error));
    BAD(fanorona_point_text(game, 45, text, sizeof text, &count, &error));
    BAD(fanorona_outcome(NULL, &position, &number, &error));
    BAD(fanorona_outcome(game, NULL, &number, &error));
    BAD(fanorona_outcome(game, &position, NULL, &error));
    BAD(fanorona_turns(NULL, &position, &turn, 1, &count, &error));
    BAD(fanorona_turns(game, NULL, &turn, 1, &count, &error));
    BAD(fanorona_turns(game, &position, NULL, 1, &count, &error));
    BAD(fanorona_turns(game, &position, &turn, 1, NULL, &error));
    BAD(fanorona_turns(game, &position, &turn, SIZE_MAX, &count, &error));
    BAD(fanorona_next_steps(NULL, &position, NULL, &step, 1, &count, &number, &error));
    BAD(fanorona_next_steps(game, NULL, NULL, &step, 1, &count, &number, &error));
    BAD(fanorona_next_steps(game, &position, NULL, NULL, 1, &count, &number, &error));
    BAD(fanorona_next_steps(game, &position, NULL, &step, 1, NULL, &number, &error));
    BAD(fanorona_next_steps(game, &position, NULL, &step, 1, &count, NULL, &error));
    BAD(fanorona_add_step(NULL, &position, &turn, &step, &error));
    BAD(fanorona_add_step(game, NULL, &turn, &step, &error));
    BAD(fanorona_add_step(game, &position, NULL, &step, &error));
    BAD(fanorona_add_step(game, &position, &turn, NULL, &error));
    BAD(fanorona_play(NULL, &position, &turn, &position, &error));
    BAD(fanorona_play(game, NULL, &turn, &position, &error));
    BAD(fanorona_play(game, &position, NULL, &position, &error));
    BAD(fanorona_play(game, &position, &turn, NULL, &error));
    BAD(fanorona_turn_read(NULL, &position, "", &turn, &error));
    BAD(fanorona_turn_read(game, NULL, "", &turn, &error));
    BAD(fanorona_turn_read(game, &position, NULL, &turn, &error));
    BAD(fanorona_turn_read(game, &position, "", NULL, &error));
    BAD(fanorona_turn_text(NULL, &position, &turn, text, sizeof text, &count, &error));
    BAD(fanorona_turn_text(game, NULL, &turn, text, sizeof text, &count, &error));
    BAD(fanorona_turn_text(game, &position, NULL, text, sizeof text, &count, &error));
    BAD(fanorona_turn_text(game, &position, &turn, NULL, sizeof text, &count, &error));
    fanorona_tables *failed = (fanorona_tables *)&failed;
    BAD(fanorona_tables_open(NULL, ".", NULL, &failed, &error));
    CHECK(failed == NULL);
    BAD(fanorona_tables_open(game, NULL, NULL, &failed, &error));
    BAD(fanorona_tables_open(game, ".", NULL, NULL, &error));
    BAD(fanorona_tables_prepare(NULL, 1, &complete, &error));
    BAD(fanorona_tables_prepare(tables, 1, NULL, &error));
    BAD(fanorona_wdl(NULL, 1, 2, &number, &error));
    BAD(fanorona_wdl(tables, 1, 2, NULL, &error));
    BAD(fanorona_probe(NULL, &position, &value, &error));
    BAD(fanorona_probe(tables, NULL, &value, &error));
    BAD(fanorona_probe(tables, &position, NULL, &error));
    BAD(fanorona_probe_many(NULL, &position, 1, &value, &status, &error));
    BAD(fanorona_probe_many(tables, NULL, 1, &value, &status, &error));
    BAD(fanorona_probe_many(tables, &position, 1, NULL, &status, &error));
    BAD(fanorona_probe_many(tables, &position, 1, &value, NULL, &error));
    BAD(fanorona_probe_many(tables, &position, SIZE_MAX, &value, &status, &error));
    BAD(fanorona_rank(NULL, &position, &ranked, 1, &count, &error));
    BAD(fanorona_rank(tables, NULL, &ranked, 1, &count, &error));
    BAD(fanorona_rank(tables, &position, NULL, 1, &count, &error));
    BAD(fanorona_rank(tables, &position, &ranked, 1, NULL, &error));
    BAD(fanorona_analyze(NULL, NULL, &position, NULL, NULL, &analysis, &error));
    BAD(fanorona_analyze(game, NULL, NULL, NULL, NULL, &analysis, &error));
    BAD(fanorona_analyze(game, NULL, &position, NULL, NULL, NULL, &error));
    fanorona_assessment known;
    fanorona_line_end end = 0;
    BAD(fanorona_assess(NULL, NULL, NULL, &position, &known, &error));
    BAD(fanorona_assess(game, NULL, NULL, NULL, &known, &error));
    BAD(fanorona_assess(game, NULL, NULL, &position, NULL, &error));
    BAD(fanorona_assess_turns(NULL, NULL, NULL, &position, &ranked, 1, &count, &error));
    BAD(fanorona_assess_turns(game, NULL, NULL, NULL, &ranked, 1, &count, &error));
    BAD(fanorona_assess_turns(game, NULL, NULL, &position, NULL, 1, &count, &error));
    BAD(fanorona_assess_turns(game, NULL, NULL, &position, &ranked, 1, NULL, &error));
    BAD(fanorona_line(NULL, NULL, NULL, &position, &ranked, 1, &count, &end, &error));
    BAD(fanorona_line(game, NULL, NULL, NULL, &ranked, 1, &count, &end, &error));
    BAD(fanorona_line(game, NULL, NULL, &position, NULL, 1, &count, &end, &error));
    BAD(fanorona_line(game, NULL, NULL, &position, &ranked, 1, NULL, &end, &error));
    BAD(fanorona_line(game, NULL, NULL, &position, &ranked, 1, &count, NULL, &error));
    fanorona_book *book = NULL;
    BAD(fanorona_book_open(NULL, &file, 1, &book, &error));
    BAD(fanorona_book_open(game, NULL, 1, &book, &error));
    BAD(fanorona_book_open(game, &file, 1, NULL, &error));
    BAD(fanorona_book_open(game, &file, SIZE_MAX, &book, &error));
    file = NULL;
    BAD(fanorona_book_open(game, &file, 1, &book, &error));
    BAD(fanorona_book_lookup(NULL, NULL, &position, &answer, &error));
    fanorona_opponent *no_opponent = NULL;
    BAD(fanorona_opponent_new(NULL, NULL, NULL, NULL, &no_opponent, &error));
    BAD(fanorona_opponent_new(game, NULL, NULL, NULL, NULL, &error));
    BAD(fanorona_opponent_forget(NULL, &error));
    BAD(fanorona_opponent_choose(NULL, &position, NULL, 0, NULL, NULL, &choice, &error));
    BAD(fanorona_opponent_choose(opponent, NULL, NULL, 0, NULL, NULL, &choice, &error));
    BAD(fanorona_opponent_choose(opponent, &position, NULL, 1, NULL, NULL, &choice, &error));
    BAD(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, NULL, &error));

    /* Sizes of structs, flags and numbers of threads. */
    choice.struct_size = 8;
    BAD(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, &choice, &error));
    choice = fanorona_choice_init();
    fanorona_limits reserved_limit = fanorona_limits_init();
    reserved_limit.reserved = 1;
    BAD(fanorona_opponent_choose(opponent, &position, NULL, 0, &reserved_limit, NULL, &choice, &error));
    fanorona_analyze_options reserved_option = fanorona_analyze_options_init();
    reserved_option.reserved = 1;
    BAD(fanorona_analyze(game, NULL, &position, &reserved_option, NULL, &analysis, &error));
    fanorona_tables_options opened = fanorona_tables_options_init();
    opened.flags = 4;
    BAD(fanorona_tables_open(game, ".", &opened, &failed, &error));
    opened.flags = 0;
    opened.threads = 100000;
    BAD(fanorona_tables_open(game, ".", &opened, &failed, &error));
    opened.threads = 0;
    opened.cache_bytes = UINT64_MAX;
    BAD(fanorona_tables_open(game, ".", &opened, &failed, &error));
    opened.cache_bytes = 0;
    opened.struct_size = 0;
    BAD(fanorona_tables_open(game, ".", &opened, &failed, &error));
    options.flags = 2;
    BAD(fanorona_opponent_new(game, NULL, NULL, &options, &no_opponent, &error));

    /* NULL where it is allowed. */
    fanorona_game_free(NULL);
    fanorona_tables_free(NULL);
    fanorona_book_free(NULL);
    fanorona_opponent_free(NULL);
    fanorona_stop_free(NULL);
    fanorona_stop_set(NULL);
    fanorona_stop_clear(NULL);
    CHECK(fanorona_stop_is_set(NULL) == 0);
    OK(fanorona_game_rules(game, NULL, 0, &count, &error));
    CHECK(count == strlen("standard"));
    OK(fanorona_game_rules(game, text, sizeof text, NULL, &error));
    fanorona_opponent_free(opponent);
    fanorona_tables_free(tables);
}

static void test_texts(void) {
    fanorona_game *none = (fanorona_game *)&none;
    EXPECT(FANORONA_BAD_GAME, fanorona_game_new("8x5", "standard", &none, &error));
    CHECK(none == NULL);
    EXPECT(FANORONA_BAD_GAME, fanorona_game_new("", "standard", &none, &error));
    EXPECT(FANORONA_BAD_GAME, fanorona_game_new("9x5", "chess", &none, &error));
    EXPECT(FANORONA_BAD_GAME, fanorona_game_new("5x5", "vela", &none, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_game_new("9x5", "\xff", &none, &error));
    CHECK(strcmp(fanorona_status_text(FANORONA_BAD_GAME), "not a board or a rule set") == 0);
    CHECK(strcmp(fanorona_status_text(-1), "unknown status") == 0);

    /* A text without an end is read up to a limit. */
    static char endless[5000];
    memset(endless, '9', sizeof endless);
    fanorona_position position = start;
    EXPECT(FANORONA_ARGUMENT, fanorona_position_read(game, endless, &position, &error));
    endless[4095] = '\0';
    EXPECT(FANORONA_BAD_POSITION, fanorona_position_read(game, endless, &position, &error));
    EXPECT(FANORONA_BAD_POSITION, fanorona_position_read(game, "", &position, &error));
    EXPECT(FANORONA_BAD_POSITION, fanorona_position_read(game, "9/9/9/9/9 w", &position, &error));
    EXPECT(FANORONA_BAD_POSITION, fanorona_position_read(game, "9/9/4X4/9/9 w", &position, &error));
    EXPECT(FANORONA_BAD_POSITION, fanorona_position_read(game, "9/9/4W4/9/9", &position, &error));
    EXPECT(FANORONA_OTHER_GAME, fanorona_position_read(game, "BBB/B1W/WWW w", &position, &error));
    CHECK(same_position(&position, &start));

    fanorona_turn turn;
    memset(&turn, 7, sizeof turn);
    EXPECT(FANORONA_BAD_TURN, fanorona_turn_read(game, &start, "", &turn, &error));
    EXPECT(FANORONA_BAD_TURN, fanorona_turn_read(game, &start, "z9-z8", &turn, &error));
    EXPECT(FANORONA_BAD_TURN, fanorona_turn_read(game, &start, "d3-e3", &turn, &error));
    CHECK(strstr(message, "add A for approach") != NULL);
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_turn_read(game, &start, "a1-a2", &turn, &error));
    CHECK(strstr(message, "a2 is not empty") != NULL);
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_turn_read(game, &start, "a1-c1", &turn, &error));
    CHECK(turn.num_steps == 7);

    /* Too little room for a text, byte by byte. */
    for (size_t capacity = 0; capacity <= 60; capacity++) {
        char text[61];
        memset(text, 'x', sizeof text);
        size_t length = 0;
        const fanorona_status status =
            fanorona_position_text(game, &start, text, capacity, &length, &error);
        CHECK(length == strlen("BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w"));
        CHECK(text[capacity] == 'x');
        CHECK(status == (capacity > length ? FANORONA_OK : FANORONA_CAPACITY));
        CHECK(capacity == 0 || strlen(text) == (capacity > length ? length : 0));
    }

    /* Too little room for a message. */
    for (size_t capacity = 0; capacity < 60; capacity++) {
        char text[60];
        memset(text, 'x', sizeof text);
        fanorona_error small = {text, capacity, 0};
        CHECK(fanorona_game_new("8x5", "standard", &none, &small) == FANORONA_BAD_GAME);
        CHECK(small.length > 60 && text[capacity] == 'x');
        CHECK(capacity == 0 || strlen(text) == capacity - 1);
    }
    fanorona_error nowhere = {NULL, 100, 0};
    CHECK(fanorona_game_new("8x5", "standard", &none, &nowhere) == FANORONA_BAD_GAME);
    CHECK(nowhere.length > 60);
}

static void test_positions_and_turns(const char *data) {
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_position bad[6];
    for (int i = 0; i < 6; i++) {
        bad[i] = start;
    }
    bad[0].black = bad[0].white;                  /* overlap */
    bad[1].white |= UINT64_C(1) << 45;            /* off the board */
    bad[2].white = UINT64_MAX;                    /* all at once */
    bad[3].white = bad[3].black = 0;              /* empty */
    bad[4].to_move = 2;                           /* no side */
    bad[5].white = (UINT64_C(1) << 23) - 1;       /* one too many */
    bad[5].black = UINT64_C(1) << 30;
    for (int i = 0; i < 6; i++) {
        const fanorona_position *position = &bad[i];
        fanorona_table_value value;
        fanorona_value wdl;
        fanorona_result result;
        fanorona_analysis analysis = fanorona_analysis_init();
        size_t count;
        char text[FANORONA_POSITION_TEXT];
        EXPECT(FANORONA_BAD_POSITION, fanorona_position_check(game, position, &error));
        EXPECT(FANORONA_BAD_POSITION, fanorona_turns(game, position, NULL, 0, &count, &error));
        EXPECT(FANORONA_BAD_POSITION, fanorona_outcome(game, position, &result, &error));
        EXPECT(FANORONA_BAD_POSITION,
               fanorona_position_text(game, position, text, sizeof text, NULL, &error));
        EXPECT(FANORONA_BAD_POSITION, fanorona_probe(tables, position, &value, &error));
        EXPECT(FANORONA_BAD_POSITION,
               fanorona_analyze(game, NULL, position, NULL, NULL, &analysis, &error));
        if (i != 4) {
            EXPECT(FANORONA_BAD_POSITION,
                   fanorona_wdl(tables, position->white, position->black, &wdl, &error));
        }
    }
    fanorona_tables_free(tables);

    fanorona_turn good, turn;
    fanorona_position after = start;
    OK(fanorona_turn_read(game, &start, "d3-e3A", &good, &error));
    turn = good;
    turn.num_steps = 0;
    EXPECT(FANORONA_BAD_TURN, fanorona_play(game, &start, &turn, &after, &error));
    turn.num_steps = 32;
    EXPECT(FANORONA_BAD_TURN, fanorona_play(game, &start, &turn, &after, &error));
    turn = good;
    turn.steps[0].kind = 3;
    EXPECT(FANORONA_BAD_TURN, fanorona_play(game, &start, &turn, &after, &error));
    turn.steps[0].kind = FANORONA_PAIKA;
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_play(game, &start, &turn, &after, &error));
    turn = good;
    turn.steps[0].from = 255;
    EXPECT(FANORONA_BAD_TURN, fanorona_play(game, &start, &turn, &after, &error));
    turn = good;
    turn.steps[0].to = 0;
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_play(game, &start, &turn, &after, &error));
    CHECK(strcmp(message, "no link joins d3 and a1") == 0);
    turn = good;
    turn.num_steps = 2;
    turn.steps[1] = turn.steps[0];
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_play(game, &start, &turn, &after, &error));
    CHECK(same_position(&after, &start));
    /* Only the steps count. */
    turn = good;
    turn.captured = UINT64_MAX;
    turn.origin = 99;
    turn.destination = 99;
    turn.steps[0].direction = 200;
    OK(fanorona_play(game, &start, &turn, &after, &error));
    const fanorona_position expected = fanorona_after(&start, &good);
    CHECK(same_position(&after, &expected));
    /* A turn of the other side, and a step after the end. */
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_play(game, &after, &good, &after, &error));
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_add_step(game, &start, &turn, &good.steps[0], &error));
    /* The relay of these rules must go on. */
    fanorona_game *forced = new_game("9x5", "forced-relay");
    const fanorona_position relay = read_position(forced, "9/9/3B5/9/2W1B4 w");
    memset(&turn, 0, sizeof turn);
    fanorona_step steps[8];
    size_t count = 0;
    int32_t may_stop = 7;
    OK(fanorona_next_steps(forced, &relay, NULL, steps, 8, &count, &may_stop, &error));
    CHECK(count == 1 && may_stop == 0);
    OK(fanorona_add_step(forced, &relay, &turn, &steps[0], &error));
    EXPECT(FANORONA_ILLEGAL_TURN, fanorona_play(forced, &relay, &turn, &after, &error));
    EXPECT(FANORONA_CAPACITY,
           fanorona_next_steps(forced, &relay, &turn, steps, 0, &count, &may_stop, &error));
    CHECK(count == 1 && may_stop == 0);
    fanorona_game_free(forced);
}

static void test_files(const char *data) {
    fanorona_game *small = new_game("5x5", "standard");
    fanorona_game *vela = new_game("9x5", "vela");
    fanorona_game *other = new_game("5x5", "free-capture");
    fanorona_tables *tables = (fanorona_tables *)&tables;
    EXPECT(FANORONA_NOT_FOUND,
           fanorona_tables_open(small, path_of(data, "none"), NULL, &tables, &error));
    CHECK(tables == NULL);
    EXPECT(FANORONA_IO, fanorona_tables_open(small, path_of(data, "values.txt"), NULL, &tables, &error));

    static const struct {
        const char *directory;
        fanorona_status status;
    } cases[] = {
        {"cut", FANORONA_DAMAGED},     {"empty", FANORONA_DAMAGED},
        {"text", FANORONA_DAMAGED},    {"flipped", FANORONA_DAMAGED},
        {"renamed", FANORONA_OTHER_TABLE},
    };
    /* Two stones against two, far from each other. */
    const fanorona_position position = read_position(small, "B3B/5/5/5/W3W w");
    fanorona_table_value value = {7, 7};
    fanorona_value wdl = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OK(fanorona_tables_open(small, path_of(data, cases[i].directory), NULL, &tables, &error));
        for (int again = 0; again < 2; again++) {
            EXPECT(cases[i].status, fanorona_probe(tables, &position, &value, &error));
            EXPECT(cases[i].status,
                   fanorona_wdl(tables, position.white, position.black, &wdl, &error));
            CHECK(strstr(message, "2v2") != NULL);
        }
        CHECK(value.value == 7 && value.dtw == 7 && wdl == 7);
        fanorona_tables_free(tables);
    }

    /* Two directories, of which the second has the tables. */
    char both[4096];
    const char *packed = path_of(data, "packed");
    CHECK((size_t)snprintf(both, sizeof both, "%s:%s", data, packed) < sizeof both);
    OK(fanorona_tables_open(small, both, NULL, &tables, &error));
    OK(fanorona_probe(tables, &position, &value, &error));
    fanorona_tables_free(tables);

    /* More stones than there are tables for, and tables of other rules. */
    OK(fanorona_tables_open(small, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_position full;
    OK(fanorona_start(small, &full, &error));
    EXPECT(FANORONA_NO_TABLE, fanorona_probe(tables, &full, &value, &error));
    EXPECT(FANORONA_NO_TABLE, fanorona_wdl(tables, full.white, full.black, &wdl, &error));
    /* An opponent and an analysis of another game. */
    fanorona_opponent *opponent = NULL;
    EXPECT(FANORONA_OTHER_GAME,
           fanorona_opponent_new(other, tables, NULL, NULL, &opponent, &error));
    fanorona_tables_free(tables);
    OK(fanorona_tables_open(other, path_of(data, "packed"), NULL, &tables, &error));
    EXPECT(FANORONA_NO_TABLE, fanorona_probe(tables, &position, &value, &error));
    uint32_t complete = 7;
    OK(fanorona_tables_prepare(tables, 5, &complete, &error));
    CHECK(complete < 2);
    fanorona_tables_free(tables);

    /* The vela: phase 2 has the tables of free-capture. Phase 1 has tables of its own, not here. */
    OK(fanorona_tables_open(vela, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_position phase = read_position(vela, "B8/9/9/9/W8 w");
    OK(fanorona_probe(tables, &phase, &value, &error));
    phase = read_position(vela, "B8/9/9/9/WWWWWW3 w");
    EXPECT(FANORONA_NO_TABLE, fanorona_probe(tables, &phase, &value, &error));
    EXPECT(FANORONA_VELA_PHASE, fanorona_wdl(tables, phase.white, phase.black, &wdl, &error));
    fanorona_tables_free(tables);
    /* Certificates that are not. */
    const char *no_certificate = path_of(data, "values.txt");
    fanorona_book *book = NULL;
    EXPECT(FANORONA_DAMAGED, fanorona_book_open(small, &no_certificate, 1, &book, &error));
    EXPECT(FANORONA_IO, fanorona_book_open(small, &data, 1, &book, &error));
    CHECK(book == NULL);
    fanorona_game_free(small);
    fanorona_game_free(vela);
    fanorona_game_free(other);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    game = new_game("9x5", "standard");
    OK(fanorona_start(game, &start, &error));
    test_null(argv[1]);
    test_texts();
    test_positions_and_turns(argv[1]);
    test_files(argv[1]);
    fanorona_game_free(game);
    puts("bad input is refused");
    return 0;
}
