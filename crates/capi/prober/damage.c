/* Damages tables of 3x3 at random, and probes them. With checksums, every value must be right or refused;
 * compiled with FANO_WITHOUT_CHECKSUMS, nothing may crash, which sanitizers see.
 *
 *     damage DIRECTORY SCRATCH RULES ROUNDS
 */
#include "fano.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies a file, with changes. 0 if it does not exist. */
static int copy(const char *from, const char *to, int changes) {
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(from, "rb");
    if (!file)
        return 0;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (int i = 0; i < changes; i++) {
        uint64_t chance = next_random();
        if (chance % 8 == 0)
            length -= (size_t)(chance >> 8) % length; /* cut off */
        else if (length > 80 && chance % 8 < 4) /* the tail, or the prelude */
            bytes[chance % 8 == 1 ? (chance >> 8) % 64 : length - 1 - (chance >> 8) % 80] ^= (unsigned char)(chance >> 40);
        else
            bytes[(chance >> 8) % length] ^= (unsigned char)(1u << (chance >> 40) % 8);
    }
    file = fopen(to, "wb");
    int good = file && fwrite(bytes, 1, length, file) == length;
    return (file && fclose(file) == 0 && good) ? 1 : (exit(2), 0);
}

int main(int words, char **word) {
    if (words != 5)
        return 2;
    const char *directory = word[1], *scratch = word[2], *rules = word[3];
    char message[256], from[512], to[512];
    fano_tables *good = fano_open(directory, "3x3", rules, message, sizeof message);
    fano_reader *right = good ? fano_reader_new(good, 64) : NULL;
    if (!right) {
        printf("%s\n", message);
        return 2;
    }
    long rounds = strtol(word[4], NULL, 10), refused = 0, failed = 0, probed = 0;
    for (long round = 0; round < rounds; round++) {
        int own = 1 + (int)(next_random() % 4), opponent = 1 + (int)(next_random() % 4);
        for (int a = 1; a <= 4; a++)
            for (int b = 1; b <= 4; b++) {
                snprintf(from, sizeof from, "%s/3x3_%s_%dv%d.dtw.fano", directory, rules, a, b);
                snprintf(to, sizeof to, "%s/3x3_%s_%dv%d.dtw.fano", scratch, rules, a, b);
                int is_damaged = a == own && b == opponent;
                if (round == 0 || is_damaged)
                    copy(from, to, is_damaged ? 1 + (int)(next_random() % 3) : 0);
            }
        fano_tables *tables = fano_open(scratch, "3x3", rules, message, sizeof message);
        fano_reader *reader = tables ? fano_reader_new(tables, 16) : NULL;
        refused += tables == NULL;
        for (int i = 0; reader && i < 200; i++) {
            fano_position position = {0, 0, (int)(next_random() % 2)};
            for (int point = 0; point < 9; point++) {
                uint64_t chance = next_random() % 3;
                position.white |= (uint64_t)(chance == 1) << point;
                position.black |= (uint64_t)(chance == 2) << point;
            }
            fano_value value = {0, 0}, expected = {0, 0};
            fano_turn turn;
            int status = fano_probe(reader, &position, &value);
            fano_best_turn(reader, &position, &turn, &expected);
            fano_probe(right, &position, &expected);
            probed += status == FANO_OK;
            failed += status == FANO_DAMAGED;
#ifndef FANO_WITHOUT_CHECKSUMS
            if (status == FANO_OK && (value.result != expected.result || value.turns != expected.turns)) {
                printf("round %ld: a wrong value\n", round);
                return 1;
            }
#endif
        }
        fano_reader_free(reader);
        fano_close(tables);
        snprintf(from, sizeof from, "%s/3x3_%s_%dv%d.dtw.fano", directory, rules, own, opponent);
        snprintf(to, sizeof to, "%s/3x3_%s_%dv%d.dtw.fano", scratch, rules, own, opponent);
        copy(from, to, 0);
    }
    fano_reader_free(right);
    fano_close(good);
    printf("%ld rounds: %ld refused when opened, %ld probes good, %ld refused\n", rounds, refused, probed, failed);
    return refused == 0 || probed == 0;
}
