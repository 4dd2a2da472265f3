/* Says what is known of a position, and how it goes on. If tables do not say it, a search tries to find
 * out, and stops after some reports.
 *
 *     line TABLES BOARD RULES POSITION REPORTS */
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "line: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

static void print_assessment(const fanorona_assessment *known) {
    static const char *const names[] = {"loss", "draw", "win"};
    if (known->value != FANORONA_UNKNOWN) {
        printf("%s", names[known->value + 1]);
    } else {
        printf("at least %s, at most %s", names[known->at_least + 1], names[known->at_most + 1]);
    }
    if (known->dtw >= 0) {
        printf(" in %d", (int)known->dtw);
    }
    putchar('\n');
}

/* Any result but 0 stops the search. */
static int32_t on_progress(const fanorona_search_report *report, void *data) {
    unsigned long *left = data;
    fprintf(stderr, "%llu positions\n", (unsigned long long)report->nodes);
    return --*left == 0;
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: line TABLES BOARD RULES POSITION REPORTS\n");
        return 2;
    }
    fanorona_game *game;
    fanorona_tables *tables;
    fanorona_position position;
    check(fanorona_game_new(argv[2], argv[3], &game, &error));
    check(fanorona_tables_open(game, argv[1], NULL, &tables, &error));
    check(fanorona_position_read(game, argv[4], &position, &error));

    fanorona_assessment known;
    check(fanorona_assess(game, tables, NULL, &position, &known, &error));
    print_assessment(&known);

    fanorona_ranked_turn line[40];
    size_t count;
    fanorona_line_end end;
    check(fanorona_line(game, tables, NULL, &position, line, 40, &count, &end, &error));
    for (size_t i = 0; i < count; i++) {
        char text[FANORONA_TURN_TEXT];
        check(fanorona_turn_text(game, &position, &line[i].turn, text, sizeof text, NULL, &error));
        printf("%s ", text);
        print_assessment(&line[i].assessment);
        position = line[i].after;
    }

    if (known.value == FANORONA_UNKNOWN) {
        unsigned long left = strtoul(argv[5], NULL, 10);
        fanorona_analyze_options options = fanorona_analyze_options_init();
        options.progress = on_progress;
        options.progress_data = &left;
        fanorona_analysis analysis = fanorona_analysis_init();
        check(fanorona_analyze(game, tables, &position, &options, NULL, &analysis, &error));
        printf("%s: ", analysis.end == FANORONA_END_STOPPED ? "stopped" : "proved");
        print_assessment(&analysis.assessment);
    }
    fanorona_tables_free(tables);
    fanorona_game_free(game);
    return 0;
}
