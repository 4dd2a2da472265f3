/* The questions that every face answers alike: tests/questions.tsv.
 *
 *     questions DATA REPOSITORY
 *
 * DATA/questions has the tables that the file names.
 */
#include "check.h"

#define MAX_FIELDS 200

/* Appends what is known, as the file has it. */
static void write_known(char *text, const fanorona_assessment *known) {
    static const char *const sources[] = {"-", "rules", "table", "proof", "search"};
    CHECK(known->source >= FANORONA_SOURCE_NONE && known->source <= FANORONA_SOURCE_SEARCH);
    text += strlen(text);
    text += sprintf(text, "%d %d ", (int)known->at_least, (int)known->at_most);
    text += known->dtw < 0 ? sprintf(text, "-") : sprintf(text, "%d", (int)known->dtw);
    sprintf(text, " %s", sources[known->source + 1]);
}

/* Whether the answer to a question is that of the file. `searched` counts the searches, of whose turns the
 * library has no list. */
static int is_same(const char *directory, char **fields, size_t count, unsigned *searched) {
    fanorona_game *game = new_game(fields[1], fields[2]);
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, directory, NULL, &tables, &error));
    const fanorona_position position = read_position(game, fields[3]);
    fanorona_analyze_options options = fanorona_analyze_options_init();
    options.nodes = strtoull(fields[4], NULL, 10);
    fanorona_analysis analysis = fanorona_analysis_init();
    OK(fanorona_analyze(game, tables, &position, &options, NULL, &analysis, &error));
    char text[200] = "";
    write_known(text, &analysis.assessment);
    int same = strcmp(text, fields[5]) == 0;
    if (analysis.nodes > 0) {
        ++*searched;
    } else {
        static fanorona_ranked_turn turns[MAX_FIELDS];
        size_t num_turns = 0;
        OK(fanorona_assess_turns(game, tables, NULL, &position, turns, MAX_FIELDS, &num_turns, &error));
        same = same && num_turns == count - 6;
        for (size_t i = 0; same && i < num_turns; i++) {
            size_t length = 0;
            OK(fanorona_turn_text(game, &position, &turns[i].turn, text, sizeof text, &length, &error));
            text[length] = ' ';
            text[length + 1] = '\0';
            write_known(text, &turns[i].assessment);
            same = strcmp(text, fields[6 + i]) == 0;
        }
    }
    if (!same) {
        fprintf(stderr, "%s %s %s: %s\n", fields[1], fields[2], fields[3], text);
    }
    fanorona_tables_free(tables);
    fanorona_game_free(game);
    return same;
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    char directory[4000];
    snprintf(directory, sizeof directory, "%s/questions", argv[1]);
    FILE *file = fopen(path_of(argv[2], "tests/questions.tsv"), "r");
    CHECK(file != NULL);
    static char line[1 << 16];
    unsigned asked = 0, same = 0, searched = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[MAX_FIELDS];
        size_t count = 0;
        for (char *field = strtok(line, "\t\n"); field != NULL; field = strtok(NULL, "\t\n")) {
            CHECK(count < MAX_FIELDS);
            fields[count++] = field;
        }
        if (strcmp(fields[0], "ask") == 0) {
            asked++;
            same += (unsigned)is_same(directory, fields, count, &searched);
        }
    }
    fclose(file);
    printf("C: %u of %u answers are equal, %u of them without the turns\n", same, asked, searched);
    CHECK(asked == 300 && same == asked && searched < 150);
    return 0;
}
