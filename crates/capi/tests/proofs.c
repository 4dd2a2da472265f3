/* Proofs and the opponent.
 *
 *     proofs DATA REPOSITORY
 */
#include "check.h"

/* Whether all fields of an assessment are these. */
static int is(const fanorona_assessment *known, fanorona_value at_least, fanorona_value at_most,
              int32_t dtw, fanorona_source source) {
    return known->value == (at_least == at_most ? at_least : FANORONA_UNKNOWN) &&
           known->at_least == at_least && known->at_most == at_most && known->dtw == dtw &&
           known->source == source;
}

/* A copy of a certificate with one byte changed, or cut off there: none of them passes. */
static void test_changed_certificates(const char *data, const char *repository) {
    char good[4000], bad[4000];
    snprintf(good, sizeof good, "%s/data/proofs/3x3-standard.proof", repository);
    snprintf(bad, sizeof bad, "%s/changed.proof", data);
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(good, "rb");
    CHECK(file != NULL);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(length > 0 && length < sizeof bytes);
    fanorona_game *game = new_game("3x3", "standard");
    fanorona_position start;
    OK(fanorona_start(game, &start, &error));
    const char *files[1] = {bad};
    unsigned damaged = 0;
    for (size_t at = 0; at < length; at += length / 40 + 1) {
        /* Once cut off, once changed. */
        for (int cut = 0; cut < 2; cut++) {
            file = fopen(bad, "wb");
            CHECK(file != NULL);
            bytes[at] ^= 1;
            CHECK(fwrite(bytes, 1, cut ? at : length, file) == (cut ? at : length));
            bytes[at] ^= 1;
            fclose(file);
            fanorona_book *book = NULL;
            fanorona_book_answer answer = fanorona_book_answer_init();
            fanorona_status status = fanorona_book_open(game, files, 1, &book, &error);
            if (status == FANORONA_OK) {
                status = fanorona_book_lookup(book, NULL, &start, &answer, &error);
            }
            CHECK(status == FANORONA_DAMAGED || status == FANORONA_BAD_VERSION);
            CHECK(error.length > 0 && answer.has_turn == 0);
            fanorona_book_free(book);
            damaged += status == FANORONA_DAMAGED;
        }
    }
    CHECK(damaged > 10);
    fanorona_game_free(game);
    CHECK(remove(bad) == 0);
}

static void test_book(const char *repository) {
    char file[4000];
    snprintf(file, sizeof file, "%s/data/proofs/3x5-standard.proof", repository);
    const char *files[1] = {file};
    fanorona_game *game = new_game("3x5", "standard");
    fanorona_book *book = NULL;
    OK(fanorona_book_open(game, files, 1, &book, &error));
    fanorona_position position;
    OK(fanorona_start(game, &position, &error));
    fanorona_book_answer answer = fanorona_book_answer_init();
    OK(fanorona_book_lookup(book, NULL, &position, &answer, &error));
    CHECK(is(&answer.assessment, FANORONA_WIN, FANORONA_WIN, -1, FANORONA_SOURCE_PROOF));
    CHECK(answer.has_turn == 1 && answer.distance >= 0);
    /* Play the book's turns, and the first of the other side, to the end. */
    fanorona_result result = FANORONA_NOT_OVER;
    unsigned plies = 0;
    while (result == FANORONA_NOT_OVER) {
        fanorona_turn turn;
        OK(fanorona_book_lookup(book, NULL, &position, &answer, &error));
        if (position.to_move == FANORONA_WHITE) {
            CHECK(answer.assessment.value == FANORONA_WIN && answer.has_turn == 1);
            turn = answer.turn;
        } else {
            CHECK(answer.assessment.value == FANORONA_LOSS);
            size_t count = 0;
            const fanorona_status status = fanorona_turns(game, &position, &turn, 1, &count, NULL);
            CHECK(status == FANORONA_OK || status == FANORONA_CAPACITY);
        }
        OK(fanorona_play(game, &position, &turn, &position, &error));
        OK(fanorona_outcome(game, &position, &result, &error));
        CHECK(++plies < 1000);
    }
    CHECK(result == FANORONA_WHITE_WINS);

    /* The opponent that cannot lose keeps the book open. */
    fanorona_opponent_options options = fanorona_opponent_options_init();
    options.level = 9;
    options.memory = 1 << 20;
    fanorona_opponent *opponent = NULL;
    fanorona_game *open = new_game("9x5", "free-capture");
    EXPECT(FANORONA_NO_BOOK, fanorona_opponent_new(open, NULL, NULL, &options, &opponent, &error));
    CHECK(opponent == NULL);
    fanorona_game_free(open);
    /* Without a book it has the certificate of the start. */
    OK(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    fanorona_opponent_free(opponent);
    OK(fanorona_opponent_new(game, NULL, book, &options, &opponent, &error));
    fanorona_book_free(book);
    fanorona_choice choice = fanorona_choice_init();
    OK(fanorona_start(game, &position, &error));
    OK(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, &choice, &error));
    CHECK(choice.assessment.at_least == FANORONA_WIN && choice.assessment.dtw == -1);
    CHECK(choice.assessment.source == FANORONA_SOURCE_PROOF);
    fanorona_opponent_free(opponent);

    fanorona_game *other = new_game("5x3", "standard");
    EXPECT(FANORONA_OTHER_GAME, fanorona_book_open(other, files, 1, &book, &error));
    CHECK(book == NULL);
    EXPECT(FANORONA_ARGUMENT, fanorona_book_open(game, files, 0, &book, &error));
    files[0] = "no such file";
    EXPECT(FANORONA_NOT_FOUND, fanorona_book_open(game, files, 1, &book, &error));
    fanorona_game_free(other);
    fanorona_game_free(game);
}

static void test_analyze(const char *data) {
    fanorona_analyze_options options = fanorona_analyze_options_init();
    options.memory = 1 << 20;
    options.threads = 2;
    fanorona_analysis analysis = fanorona_analysis_init();
    fanorona_game *game;
    fanorona_position position, after;
    /* The library has the certificate of one of these starts. */
    for (int has_proof = 0; has_proof < 2; has_proof++) {
        game = new_game("3x3", has_proof ? "standard" : "standard+direction-free");
        OK(fanorona_start(game, &position, &error));
        OK(fanorona_analyze(game, NULL, &position, &options, NULL, &analysis, &error));
        CHECK(is(&analysis.assessment, FANORONA_WIN, FANORONA_WIN, -1,
                 has_proof ? FANORONA_SOURCE_PROOF : FANORONA_SOURCE_SEARCH));
        CHECK((analysis.nodes == 0) == has_proof);
        CHECK(analysis.end == FANORONA_END_DECIDED && analysis.has_turn == 1);
        OK(fanorona_play(game, &position, &analysis.turn, &after, &error));
        fanorona_game_free(game);
    }

    /* Limits and the flag end a search that is too long. */
    game = new_game("9x5", "free-capture");
    OK(fanorona_start(game, &position, &error));
    options.nodes = 2000;
    OK(fanorona_analyze(game, NULL, &position, &options, NULL, &analysis, &error));
    CHECK(analysis.end == FANORONA_END_NODES && analysis.nodes >= 1000);
    CHECK(is(&analysis.assessment, FANORONA_LOSS, FANORONA_WIN, -1, FANORONA_SOURCE_NONE));
    options.nodes = 0;
    options.milliseconds = 20;
    OK(fanorona_analyze(game, NULL, &position, &options, NULL, &analysis, &error));
    CHECK(analysis.end == FANORONA_END_TIME);
    fanorona_stop *stop = fanorona_stop_new();
    fanorona_stop_set(stop);
    options.milliseconds = 0;
    OK(fanorona_analyze(game, NULL, &position, &options, stop, &analysis, &error));
    CHECK(analysis.end == FANORONA_END_STOPPED);
    options.memory = UINT64_MAX;
    EXPECT(FANORONA_OUT_OF_MEMORY,
           fanorona_analyze(game, NULL, &position, &options, stop, &analysis, &error));
    fanorona_stop_free(stop);
    fanorona_game_free(game);

    /* Tables answer at once, with a distance. */
    game = new_game("5x5", "standard");
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(data, "packed"), NULL, &tables, &error));
    position = read_position(game, "5/5/1W1B1/5/5 w");
    OK(fanorona_analyze(game, tables, &position, NULL, NULL, &analysis, &error));
    CHECK(is(&analysis.assessment, FANORONA_WIN, FANORONA_WIN, 1, FANORONA_SOURCE_TABLE));
    fanorona_game *other = new_game("3x3", "standard");
    OK(fanorona_start(other, &position, &error));
    EXPECT(FANORONA_OTHER_GAME,
           fanorona_analyze(other, tables, &position, NULL, NULL, &analysis, &error));
    fanorona_tables_free(tables);
    fanorona_game_free(other);
    fanorona_game_free(game);
}

static void test_opponent(const char *data) {
    fanorona_game *game = new_game("5x5", "standard");
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(data, "packed"), NULL, &tables, &error));
    fanorona_opponent_options options = fanorona_opponent_options_init();
    options.memory = 1 << 20;
    fanorona_opponent *opponent = NULL;
    OK(fanorona_opponent_new(game, tables, NULL, &options, &opponent, &error));
    fanorona_tables_free(tables);
    fanorona_choice choice = fanorona_choice_init();
    fanorona_position position = read_position(game, "5/5/1W1B1/5/5 w");
    OK(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, &choice, &error));
    CHECK(is(&choice.assessment, FANORONA_WIN, FANORONA_WIN, 1, FANORONA_SOURCE_RULES));
    CHECK(choice.turns == 1 && choice.end == FANORONA_END_DECIDED);
    char text[FANORONA_TURN_TEXT];
    OK(fanorona_turn_text(game, &position, &choice.turn, text, sizeof text, NULL, &error));
    CHECK(strcmp(text, "b3-c3A") == 0);

    OK(fanorona_start(game, &position, &error));
    fanorona_limits limits = fanorona_limits_init();
    limits.depth = 3;
    OK(fanorona_opponent_choose(opponent, &position, NULL, 0, &limits, NULL, &choice, &error));
    CHECK(choice.end == FANORONA_END_DEPTH && choice.depth == 3);
    CHECK(is(&choice.assessment, FANORONA_LOSS, FANORONA_WIN, -1, FANORONA_SOURCE_ESTIMATE));
    limits.depth = 0;
    limits.milliseconds = 30;
    OK(fanorona_opponent_choose(opponent, &position, NULL, 0, &limits, NULL, &choice, &error));
    CHECK(choice.end == FANORONA_END_TIME);
    fanorona_stop *stop = fanorona_stop_new();
    fanorona_stop_set(stop);
    OK(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, stop, &choice, &error));
    CHECK(choice.end == FANORONA_END_STOPPED && choice.turn.num_steps > 0);
    fanorona_stop_free(stop);
    OK(fanorona_opponent_forget(opponent, &error));
    position = read_position(game, "5/5/1W3/5/5 b");
    EXPECT(FANORONA_GAME_OVER,
           fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, &choice, &error));
    fanorona_opponent_free(opponent);

    /* Every level plays by itself. */
    OK(fanorona_start(game, &position, &error));
    for (options.level = 1; options.level <= 7; options.level++) {
        OK(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
        OK(fanorona_opponent_choose(opponent, &position, NULL, 0, NULL, NULL, &choice, &error));
        fanorona_position after;
        OK(fanorona_play(game, &position, &choice.turn, &after, &error));
        fanorona_opponent_free(opponent);
    }
    /* The contempt of all faces is the default, and -1 is none. */
    static const int32_t contempts[] = {0, 7, -1, 100};
    uint64_t nodes[4];
    options.level = 8;
    options.seed = 1;
    limits.milliseconds = 0;
    limits.depth = 4;
    for (size_t i = 0; i < 4; i++) {
        options.contempt = contempts[i];
        OK(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
        OK(fanorona_opponent_choose(opponent, &position, NULL, 0, &limits, NULL, &choice, &error));
        nodes[i] = choice.nodes;
        fanorona_opponent_free(opponent);
    }
    CHECK(nodes[0] == nodes[1] && nodes[0] != nodes[2] && nodes[0] != nodes[3]);
    options.contempt = 101;
    EXPECT(FANORONA_ARGUMENT, fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    options.contempt = -2;
    EXPECT(FANORONA_ARGUMENT, fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    options.contempt = 0;
    options.reserved = 1;
    EXPECT(FANORONA_ARGUMENT, fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    options.reserved = 0;
    options.level = 10;
    EXPECT(FANORONA_ARGUMENT, fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    options.level = 8;
    options.memory = UINT64_MAX;
    EXPECT(FANORONA_OUT_OF_MEMORY,
           fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    fanorona_game_free(game);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    test_changed_certificates(argv[1], argv[2]);
    test_book(argv[2]);
    test_analyze(argv[1]);
    test_opponent(argv[1]);
    puts("proofs and opponents");
    return 0;
}
