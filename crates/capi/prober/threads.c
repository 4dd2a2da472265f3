/* Several threads probe the same tables, each with a reader of its own, and get the values that one thread
 * gets. Compiled with the thread sanitizer, which sees whether they share what one of them writes.
 *
 *     threads DIRECTORY BOARD RULES STONES
 */
#include "fano.h"
#include "random.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, POSITIONS = 4000, BLOCKS = 64 };

static const fano_tables *tables;
static fano_position positions[POSITIONS];
static fano_value values[POSITIONS];
static int statuses[POSITIONS];

/* Whether all positions have the values that were found first; those are kept if this is the first time. */
static int probe_all(size_t begin, int is_first) {
    fano_reader *reader = fano_reader_new(tables, BLOCKS);
    int good = reader != NULL;
    for (size_t i = 0; good && i < POSITIONS; i++) {
        size_t at = (begin + i) % POSITIONS;
        fano_value value = {0, 0};
        fano_turn turn;
        int status = fano_probe(reader, &positions[at], &value);
        if (is_first) {
            statuses[at] = status;
            values[at] = value;
        }
        good = status == statuses[at] && value.result == values[at].result && value.turns == values[at].turns;
        if (at % 16 == 0 && status == FANO_OK)
            (void)fano_best_turn(reader, &positions[at], &turn, &value);
    }
    fano_reader_free(reader);
    return good;
}

static void *work(void *begin) { return probe_all(*(size_t *)begin, 0) ? begin : NULL; }

int main(int words, char **word) {
    char message[256] = "threads DIRECTORY BOARD RULES STONES";
    int width = 0, height = 0, known = 0;
    fano_tables *opened = words == 5 ? fano_open(word[1], word[2], word[3], message, sizeof message) : NULL;
    if (!opened || sscanf(word[2], "%dx%d", &width, &height) != 2) {
        printf("%s\n", message);
        return 2;
    }
    tables = opened;
    for (size_t i = 0; i < POSITIONS; i++)
        positions[i] = random_position(width * height, strtoull(word[4], NULL, 10));
    if (!probe_all(0, 1))
        return 1;
    for (size_t i = 0; i < POSITIONS; i++)
        known += statuses[i] == FANO_OK;
    pthread_t threads[THREADS];
    size_t begins[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        begins[i] = i * POSITIONS / THREADS;
        if (pthread_create(&threads[i], NULL, work, &begins[i]) != 0)
            return 2;
    }
    int good = known > POSITIONS / 2;
    for (size_t i = 0; i < THREADS; i++) {
        void *result = NULL;
        if (pthread_join(threads[i], &result) != 0 || result == NULL)
            good = 0;
    }
    fano_close(opened);
    printf("%d threads, %d positions %s\n", THREADS, known, good ? "agree" : "DIFFER");
    return !good;
}
