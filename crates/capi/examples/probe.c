/* Prints the value of a position and of its turns, as `fanorona probe` does.
 *
 *     probe TABLES BOARD RULES POSITION
 *
 * TABLES is a directory that `fanorona build` has filled. */
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "probe: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

static void print_value(fanorona_value value, int32_t dtw) {
    const char *names[] = {"loss", "draw", "win"};
    printf("%s", names[value + 1]);
    if (dtw >= 0) {
        printf(" in %d", (int)dtw);
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: probe TABLES BOARD RULES POSITION\n");
        return 2;
    }
    fanorona_game *game;
    fanorona_tables *tables;
    fanorona_position position;
    check(fanorona_game_new(argv[2], argv[3], &game, &error));
    check(fanorona_tables_open(game, argv[1], NULL, &tables, &error));
    check(fanorona_position_read(game, argv[4], &position, &error));

    fanorona_table_value value;
    check(fanorona_probe(tables, &position, &value, &error));
    printf("%s: ", argv[4]);
    print_value(value.value, value.dtw);

    /* Ask how many turns exist, then get them. */
    size_t count;
    check(fanorona_turns(game, &position, NULL, 0, &count, &error));
    fanorona_ranked_turn *turns = calloc(count + 1, sizeof *turns);
    if (turns == NULL) {
        fprintf(stderr, "probe: out of memory\n");
        return 2;
    }
    check(fanorona_rank(tables, &position, turns, count + 1, &count, &error));
    for (size_t i = 0; i < count; i++) {
        char text[FANORONA_TURN_TEXT];
        check(fanorona_turn_text(game, &position, &turns[i].turn, text, sizeof text, NULL, &error));
        printf("%s ", text);
        print_value(turns[i].assessment.value, turns[i].assessment.dtw);
    }

    free(turns);
    fanorona_tables_free(tables);
    fanorona_game_free(game);
    return 0;
}
