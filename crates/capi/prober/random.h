/* Random numbers for the tests of the prober: SplitMix64, the same ones each time. */
#ifndef FANO_RANDOM_H
#define FANO_RANDOM_H

#include <stdint.h>

static uint64_t next_random(void) {
    static uint64_t state = 20261126;
    uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

#endif
