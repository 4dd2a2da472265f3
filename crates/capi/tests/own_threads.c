/* The library starts no thread that its caller has not asked for, and leaves none behind.
 *
 *     own_threads DATA
 */
#include <dirent.h>
#include <time.h>

#include "check.h"

/* The threads of this process; 0 where the system does not list them. */
static unsigned now(void) {
    DIR *directory = opendir("/proc/self/task");
    unsigned count = 0;
    if (directory == NULL) {
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

/* Whether there are so many threads. A thread is listed for a moment after it was joined. */
static int are(unsigned expected) {
    const struct timespec moment = {0, 1000000};
    for (int i = 0; i < 2000 && now() > expected; i++) {
        nanosleep(&moment, NULL);
    }
    return now() == expected;
}

static void test_tables(const fanorona_game *game, const char *data, unsigned before, uint32_t threads,
                        int prepare) {
    fanorona_tables_options options = fanorona_tables_options_init();
    options.threads = threads;
    fanorona_tables *tables = NULL;
    OK(fanorona_tables_open(game, path_of(data, "six"), &options, &tables, &error));
    /* Five stones of a side have enough sets that it pays to divide them among threads. */
    fanorona_position position = read_position(game, "B4/5/2W2/5/WWWW1 w");
    fanorona_table_value value;
    fanorona_status status;
    fanorona_value wdl;
    if (prepare) {
        uint32_t complete = 0;
        OK(fanorona_tables_prepare(tables, 99, &complete, &error));
        CHECK(complete == 6 && are(before));
    }
    OK(fanorona_wdl(tables, position.white, position.black, &wdl, &error));
    OK(fanorona_probe(tables, &position, &value, &error));
    CHECK(value.value == wdl && are(before));
    fanorona_ranked_turn best;
    size_t count;
    (void)fanorona_rank(tables, &position, &best, 1, &count, NULL);
    CHECK(are(before));
    OK(fanorona_probe_many(tables, &position, 1, &value, &status, &error));
    /* These stay until the tables are freed. */
    const unsigned of_tables = threads == 0 ? 1 : threads;
    CHECK(value.value == wdl && are(before + of_tables));

    fanorona_analyze_options analyze = fanorona_analyze_options_init();
    analyze.threads = threads;
    analyze.nodes = 1000;
    fanorona_analysis analysis = fanorona_analysis_init();
    fanorona_position start;
    OK(fanorona_start(game, &start, &error));
    OK(fanorona_analyze(game, tables, &start, &analyze, NULL, &analysis, &error));
    CHECK(analysis.assessment.source == FANORONA_SOURCE_PROOF && are(before + of_tables));
    position = read_position(game, "BBBBB/BBBBB/WB1BW/WWWWW/WWWWW w");
    OK(fanorona_analyze(game, tables, &position, &analyze, NULL, &analysis, &error));
    CHECK(analysis.nodes > 0);
    fanorona_tables_free(tables);
    CHECK(are(before));
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const unsigned before = now();
    if (before == 0) {
        puts("not tested: the system does not list threads");
        return 0;
    }
    fanorona_game *game = new_game("5x5", "standard");
    for (uint32_t threads = 0; threads < 4; threads++) {
        test_tables(game, argv[1], before, threads, 0);
        test_tables(game, argv[1], before, threads, 1);
    }
    fanorona_game_free(game);
    printf("%u thread before and after\n", before);
    return 0;
}
