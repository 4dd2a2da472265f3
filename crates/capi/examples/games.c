/* Reads a file with games, and writes them in the form of this project, each with a comment at its end.
 *
 *     games FILE */
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "games: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

static void *memory(void *found) {
    if (found == NULL) {
        fprintf(stderr, "games: out of memory\n");
        exit(2);
    }
    return found;
}

static void print_again(const fanorona_records *records, size_t index) {
    fanorona_record record = fanorona_record_init();
    if (fanorona_records_get(records, index, &record, NULL, 0, &error) != FANORONA_OK) {
        printf("; game %zu: %s\n\n", index + 1, message);
        return;
    }
    fanorona_turn *turns = memory(calloc(record.num_turns + 1, sizeof *turns));
    const char **comments = memory(calloc(record.num_turns + 1, sizeof *comments));
    check(fanorona_records_get(records, index, &record, turns, record.num_turns, &error));
    comments[record.num_turns] = "read and written from C";

    /* Ask how long the text is, then get it. */
    size_t length;
    check(fanorona_record_text(&record, turns, comments, NULL, NULL, 0, &length, &error));
    char *text = memory(malloc(length + 1));
    check(fanorona_record_text(&record, turns, comments, NULL, text, length + 1, NULL, &error));
    puts(text);
    free(text);
    free(comments);
    free(turns);
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: games FILE\n");
        return 2;
    }
    static char text[1 << 20];
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);

    fanorona_records *records;
    size_t count;
    check(fanorona_records_read(text, length, &records, &count, &error));
    for (size_t i = 0; i < count; i++) {
        print_again(records, i);
    }
    fanorona_records_free(records);
    return 0;
}
