/* Games as text: what is written is read again, from several forms, with faults told by line. */
#include "check.h"

static fanorona_records *read_all(const char *text, size_t expected) {
    fanorona_records *records = NULL;
    size_t count = 99;
    OK(fanorona_records_read(text, strlen(text), &records, &count, &error));
    CHECK(count == expected && records != NULL);
    return records;
}

static void test_read(void) {
    static const char text[] =
        "[Board \"5x5\"]\n[White \"Ny R\xc3\xa0k\xc3\xb4to\"]\n[Date \"2026-11-22\"]\n[Draws \"none\"]\n\n"
        "{ before } 1. b2c3+ { one } { two } (1. b3c3) 1-0\n\n"
        "1. d3e3A wrong\n\n[Rules \"standard\"]\n"
        "1. d3-e3A d4-d3A *\n";
    fanorona_records *records = read_all(text, 3);
    fanorona_record record = fanorona_record_init();
    fanorona_turn turns[4];
    OK(fanorona_records_get(records, 0, &record, turns, 4, &error));
    CHECK(record.width == 5 && record.height == 5 && record.num_turns == 1);
    CHECK(strcmp(record.rules, "standard") == 0 && strcmp(record.date, "2026-11-22") == 0);
    CHECK(strcmp(record.white, "Ny R\xc3\xa0k\xc3\xb4to") == 0 && record.black[0] == '\0');
    CHECK(record.result == FANORONA_WHITE_WINS && record.flags == FANORONA_NO_REPETITION);
    CHECK(turns[0].num_steps == 1 && turns[0].captured != 0);
    char comment[40];
    OK(fanorona_records_comment(records, 0, 0, comment, sizeof comment, NULL, &error));
    CHECK(strcmp(comment, "before") == 0);
    OK(fanorona_records_comment(records, 0, 1, comment, sizeof comment, NULL, &error));
    CHECK(strcmp(comment, "one two") == 0);
    OK(fanorona_records_comment(records, 0, 9, comment, sizeof comment, NULL, &error));
    CHECK(comment[0] == '\0');
    EXPECT(FANORONA_BAD_RECORD, fanorona_records_get(records, 1, &record, turns, 4, &error));
    CHECK(strstr(message, "line 8, column 10") != NULL);
    record.num_turns = 77;
    EXPECT(FANORONA_CAPACITY, fanorona_records_get(records, 2, &record, turns, 1, &error));
    CHECK(record.num_turns == 2 && record.width == 9);
    EXPECT(FANORONA_ARGUMENT, fanorona_records_get(records, 3, &record, turns, 4, &error));
    fanorona_records_free(records);
    fanorona_records_free(read_all("", 0));
    fanorona_records_free(NULL);
}

static void test_write(void) {
    fanorona_game *game = new_game("5x5", "forced-relay");
    fanorona_record record = fanorona_record_init(), again = fanorona_record_init();
    fanorona_turn turns[30], read[30];
    const char *comments[31] = {NULL}, *variations[31] = {NULL};
    OK(fanorona_start(game, &record.start, &error));
    record.width = record.height = 5;
    record.without_capture = 40;
    strcpy(record.rules, "forced-relay");
    strcpy(record.black, "Rasoa \"A\"");
    strcpy(record.date, "2026-11-27");
    fanorona_position position = record.start;
    fanorona_result result = FANORONA_NOT_OVER;
    while (record.num_turns < 30 && result == FANORONA_NOT_OVER) {
        fanorona_turn legal[200];
        size_t count = 0;
        OK(fanorona_turns(game, &position, legal, 200, &count, &error));
        turns[record.num_turns] = legal[record.num_turns * 7 % count];
        position = fanorona_after(&position, &turns[record.num_turns++]);
        OK(fanorona_outcome(game, &position, &result, &error));
    }
    variations[1] = "1. a1-a2 {why not}\n(1. b1-b2)";
    comments[0] = "the start";
    comments[1] = "with {braces} and \xc3\xa9";
    static char text[4000], other[4000];
    size_t length = 0;
    OK(fanorona_record_text(&record, turns, comments, variations, NULL, 0, &length, &error));
    EXPECT(FANORONA_CAPACITY,
           fanorona_record_text(&record, turns, comments, variations, text, length, NULL, &error));
    OK(fanorona_record_text(&record, turns, comments, variations, text, length + 1, NULL, &error));
    CHECK(strlen(text) == length && strstr(text, "the start") != NULL);

    fanorona_records *records = read_all(text, 1);
    OK(fanorona_records_get(records, 0, &again, read, 30, &error));
    CHECK(again.num_turns == record.num_turns && same_position(&again.start, &record.start));
    CHECK(memcmp(read, turns, record.num_turns * sizeof *turns) == 0);
    CHECK(again.without_capture == 40 && again.flags == 0 && again.result == result);
    CHECK(strcmp(again.rules, record.rules) == 0 && strcmp(again.black, record.black) == 0);
    CHECK(strcmp(again.date, record.date) == 0);
    OK(fanorona_records_variations(records, 0, 1, other, sizeof other, NULL, &error));
    CHECK(strcmp(other, variations[1]) == 0);
    OK(fanorona_records_variations(records, 0, 0, other, sizeof other, &length, &error));
    CHECK(length == 0);
    OK(fanorona_record_text(&again, read, comments, variations, other, sizeof other, NULL, &error));
    CHECK(strcmp(text, other) == 0);
    fanorona_records_free(records);

    /* Records that no game has. */
    fanorona_record bad = record;
    bad.result = 9;
#define FAILS(status) EXPECT(status, fanorona_record_text(&bad, turns, NULL, NULL, text, 4000, NULL, &error))
    FAILS(FANORONA_ARGUMENT);
    bad = record;
    bad.flags = 2;
    FAILS(FANORONA_ARGUMENT);
    bad = record;
    bad.width = 4;
    FAILS(FANORONA_BAD_GAME);
    bad = record;
    bad.width = 9;
    FAILS(FANORONA_ILLEGAL_TURN);
    bad = record;
    bad.start.white = bad.start.black;
    FAILS(FANORONA_BAD_POSITION);
    bad = record;
    strcpy(bad.date, "yesterday");
    FAILS(FANORONA_BAD_RECORD);
    bad = record;
    strcpy(bad.white, "two\nlines");
    FAILS(FANORONA_BAD_RECORD);
    bad = record;
    memset(bad.black, 'x', sizeof bad.black);
    FAILS(FANORONA_ARGUMENT);
    bad = record;
    variations[1] = "1. a1-a2)";
    EXPECT(FANORONA_BAD_RECORD,
           fanorona_record_text(&bad, turns, NULL, variations, text, 4000, NULL, &error));
    turns[0].num_steps = 0;
    FAILS(FANORONA_BAD_TURN);
    bad.num_turns = 0;
    OK(fanorona_record_text(&bad, NULL, NULL, NULL, text, sizeof text, NULL, &error));
    fanorona_game_free(game);
}

/* A game that is drawn by its settings may be played on, and is read as it was written. */
static void test_played_on(void) {
    static const char *const words[] = {"e1-e2", "a5-a4", "e2-e1", "a4-a5", "e1-e2", "a5-a4",
                                        "e2-e1", "a4-a5", "e1-d1", "a5-b5"};
    fanorona_game *game = new_game("5x5", "standard");
    fanorona_record record = fanorona_record_init(), again = fanorona_record_init();
    record.start = read_position(game, "B4/5/5/5/4W w");
    record.width = record.height = 5;
    strcpy(record.rules, "standard");
    fanorona_turn turns[10], read[10];
    fanorona_position position = record.start;
    for (size_t i = 0; i < 10; i++) {
        OK(fanorona_turn_read(game, &position, words[i], &turns[i], &error));
        position = fanorona_after(&position, &turns[i]);
    }
    for (record.without_capture = 0; record.without_capture < 12; record.without_capture++)
        for (record.flags = 0; record.flags <= FANORONA_NO_REPETITION; record.flags++)
            for (record.num_turns = 0; record.num_turns <= 10; record.num_turns++) {
                char text[1000];
                OK(fanorona_record_text(&record, turns, NULL, NULL, text, sizeof text, NULL, &error));
                fanorona_records *records = read_all(text, 1);
                OK(fanorona_records_get(records, 0, &again, read, 10, &error));
                CHECK(again.num_turns == record.num_turns && again.flags == record.flags);
                CHECK(again.without_capture == record.without_capture);
                CHECK(memcmp(read, turns, record.num_turns * sizeof *turns) == 0);
                fanorona_records_free(records);
            }
    /* A game that is over by the rules is over. */
    record.flags = 0;
    record.start = read_position(game, "5/5/1W1B1/5/5 w");
    OK(fanorona_turn_read(game, &record.start, "b3-c3A", &turns[0], &error));
    record.num_turns = 1;
    char text[1000];
    OK(fanorona_record_text(&record, turns, NULL, NULL, text, sizeof text, NULL, &error));
    CHECK(strstr(text, "1-0") != NULL);
    record.num_turns = 2;
    EXPECT(FANORONA_ILLEGAL_TURN,
           fanorona_record_text(&record, turns, NULL, NULL, text, sizeof text, NULL, &error));
    fanorona_game_free(game);
}

static void test_null(void) {
    fanorona_records *records = NULL;
    size_t count = 0;
    char text[100];
    fanorona_record record = fanorona_record_init();
    EXPECT(FANORONA_ARGUMENT, fanorona_records_read(NULL, 1, &records, &count, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_read("", 0, NULL, &count, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_read("", 0, &records, NULL, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_read("", SIZE_MAX, &records, &count, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_read("\xff", 1, &records, &count, &error));
    CHECK(records == NULL);
    EXPECT(FANORONA_ARGUMENT, fanorona_records_get(NULL, 0, &record, NULL, 0, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_comment(NULL, 0, 0, text, 100, NULL, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_records_variations(NULL, 0, 0, text, 100, NULL, &error));
    EXPECT(FANORONA_ARGUMENT, fanorona_record_text(NULL, NULL, NULL, NULL, text, 100, NULL, &error));
    record.num_turns = SIZE_MAX;
    EXPECT(FANORONA_ARGUMENT, fanorona_record_text(&record, NULL, NULL, NULL, text, 100, NULL, &error));
    fanorona_records_free(records = read_all("1. d3e3A", 1));
}

int main(void) {
    test_read();
    test_write();
    test_played_on();
    test_null();
    puts("games");
    return 0;
}
