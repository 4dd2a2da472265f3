/* Builds tables and shows the progress. Ctrl-C stops it, and the next run goes on.
 *
 *     build TABLES BOARD RULES STONES */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

/* Set before the handler is installed, and not changed afterwards. */
static fanorona_stop *stop;

static void on_interrupt(int number) {
    (void)number;
    fanorona_stop_set(stop);
}

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "build: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

/* Called by threads of the library, one at a time. Any result but 0 would stop the build. */
static int32_t on_progress(const fanorona_build_report *report, void *data) {
    uint32_t *tables = data;
    if (report->tables > *tables) {
        *tables = report->tables;
        fprintf(stderr, "%u tables, the last of %uv%u\n", (unsigned)report->tables,
                (unsigned)report->own, (unsigned)report->opponent);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: build TABLES BOARD RULES STONES\n");
        return 2;
    }
    fanorona_game *game;
    check(fanorona_game_new(argv[2], argv[3], &game, &error));
    stop = fanorona_stop_new();
    signal(SIGINT, on_interrupt);

    uint32_t tables = 0, written;
    fanorona_build_options options = fanorona_build_options_init();
    options.stones = (uint32_t)strtoul(argv[4], NULL, 10);
    options.threads = 2;
    options.progress = on_progress;
    options.progress_data = &tables;
    check(fanorona_build(game, argv[1], &options, stop, &written, &error));
    printf("%u tables, %u of them new\n", (unsigned)tables, (unsigned)written);

    fanorona_stop_free(stop);
    fanorona_game_free(game);
    return 0;
}
