/* Times the prober and libfanorona on the same random positions, in turn, and prints nanoseconds a probe and
 * the quotient of each pair.
 *
 *     bench DIRECTORY BOARD RULES COUNT STONES
 */
#include "fano.h"
#include "fanorona.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 15 };

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int words, char **word) {
    char message[256] = "bench DIRECTORY BOARD RULES COUNT STONES";
    int width = 0, height = 0;
    fano_tables *tables = words == 6 ? fano_open(word[1], word[2], word[3], message, sizeof message) : NULL;
    fano_reader *reader = tables ? fano_reader_new(tables, 32768) : NULL;
    fanorona_game *game;
    fanorona_tables *other;
    fanorona_tables_options options = fanorona_tables_options_init();
    options.flags = FANORONA_TABLES_MAP | FANORONA_TABLES_PACKED;
    uint32_t complete;
    if (!reader || sscanf(word[2], "%dx%d", &width, &height) != 2
        || fanorona_game_new(word[2], word[3], &game, NULL) != FANORONA_OK
        || fanorona_tables_open(game, word[1], &options, &other, NULL) != FANORONA_OK
        || fanorona_tables_prepare(other, (uint32_t)atoi(word[5]), &complete, NULL) != FANORONA_OK) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    size_t count = strtoull(word[4], NULL, 10), stones = strtoull(word[5], NULL, 10);
    fano_position *positions = (fano_position *)calloc(count, sizeof *positions);
    if (!positions || stones < 2)
        return 2;
    for (size_t i = 0; i < count; i++)
        positions[i] = random_position(width * height, stones);
    /* The first pair fills the caches. In turn one of the two is first. */
    double ratios[PAIRS + 1];
    for (int pair = 0; pair <= PAIRS; pair++) {
        long sums[2] = {0, 0};
        double times[2] = {0, 0};
        for (int half = 0; half < 2; half++) {
            int is_ours = (pair + half) % 2;
            double begin = seconds();
            for (size_t i = 0; i < count; i++) {
                if (is_ours) {
                    fano_value value = {0, 0};
                    sums[1] += fano_probe(reader, &positions[i], &value) == FANO_OK ? value.result : 1000000;
                } else {
                    fanorona_position same = {positions[i].white, positions[i].black, FANORONA_WHITE};
                    fanorona_table_value value = {0, 0};
                    sums[0] += fanorona_probe(other, &same, &value, NULL) == FANORONA_OK ? value.value : 1000000;
                }
            }
            times[is_ours] = 1e9 * (seconds() - begin) / (double)count;
        }
        if (sums[0] != sums[1])
            return 1;
        ratios[pair] = times[1] / times[0];
        printf("prober %.0f, libfanorona %.0f ns, quotient %.3f\n", times[1], times[0], ratios[pair]);
    }
    qsort(ratios + 1, PAIRS, sizeof *ratios, by_size);
    printf("median of %d pairs: %.3f\n", PAIRS, ratios[1 + PAIRS / 2]);
    return 0;
}
