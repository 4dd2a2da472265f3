/* Random numbers and positions for the tests of the prober: SplitMix64, the same ones each time. */
#ifndef FANO_RANDOM_H
#define FANO_RANDOM_H

#include "fano.h"

static uint64_t next_random(void) {
    static uint64_t state = 20261126;
    uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* White moves. Each side has a stone, and both together have at most so many. */
static inline fano_position random_position(int points, uint64_t stones) {
    fano_position position = {0, 0, 0};
    uint64_t own = 1 + next_random() % (stones - 1), each = own + 1 + next_random() % (stones - own);
    for (uint64_t placed = 0; placed < each;) {
        uint64_t stone = (uint64_t)1 << next_random() % (uint64_t)points;
        if ((position.white | position.black) & stone)
            continue;
        *(placed < own ? &position.white : &position.black) |= stone;
        placed++;
    }
    return position;
}

#endif
