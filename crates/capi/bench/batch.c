/* The side of C in the comparison: probes positions one after the other, as a search does. */
#include "fanorona.h"

int64_t bench_batch(const fanorona_tables *tables, const uint64_t *own, const uint64_t *opponent,
                    size_t count);

/* The sum of all values; INT64_MIN if a probe fails. */
int64_t bench_batch(const fanorona_tables *tables, const uint64_t *own, const uint64_t *opponent,
                    size_t count) {
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        fanorona_value value;
        if (fanorona_wdl(tables, own[i], opponent[i], &value, NULL) != FANORONA_OK) {
            return INT64_MIN;
        }
        sum += value;
    }
    return sum;
}
