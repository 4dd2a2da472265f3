/* Times the prober and libfanorona on the same random positions, in turn, and prints nanoseconds a probe.
 *
 *     bench DIRECTORY BOARD RULES COUNT STONES
 */
#include "fano.h"
#include "fanorona.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
    for (size_t i = 0; i < count; i++) {
        uint64_t own = 1 + next_random() % (stones - 1), each = own + 1 + next_random() % (stones - own);
        for (uint64_t placed = 0; placed < each;) {
            uint64_t stone = (uint64_t)1 << next_random() % (uint64_t)(width * height);
            if ((positions[i].white | positions[i].black) & stone)
                continue;
            *(placed < own ? &positions[i].white : &positions[i].black) |= stone;
            placed++;
        }
    }
    for (int round = 0; round < 4; round++) {
        long sums[2] = {0, 0};
        double begin = seconds();
        for (size_t i = 0; i < count; i++) {
            fano_value value = {0, 0};
            sums[0] += fano_probe(reader, &positions[i], &value) == FANO_OK ? value.result : 1000000;
        }
        double middle = seconds();
        for (size_t i = 0; i < count; i++) {
            fanorona_position same = {positions[i].white, positions[i].black, FANORONA_WHITE};
            fanorona_table_value value = {0, 0};
            sums[1] += fanorona_probe(other, &same, &value, NULL) == FANORONA_OK ? value.value : 1000000;
        }
        double end = seconds();
        printf("prober %.0f, libfanorona %.0f ns\n", 1e9 * (middle - begin) / (double)count,
               1e9 * (end - middle) / (double)count);
        if (sums[0] != sums[1])
            return 1;
    }
    return 0;
}
