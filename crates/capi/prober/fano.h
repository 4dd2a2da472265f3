/* fano.h - probes endgame tables of Fanorona, without Rust. C99 or later, or C++11 or later.
 *
 * Copy fano.h and fano.c into your program. They need zstd (the library, or its single-file decoder)
 * and the header xxhash.h. The tables are made by `fanorona build`, and specified in
 * crates/tablebase/docs/FORMAT.md of the project. `fanorona_...` in libfanorona is the large
 * interface, with searches and proofs; this one only reads tables.
 *
 *     char message[256];
 *     fano_tables *tables = fano_open("tables", "9x5", "standard", message, sizeof message);
 *     fano_reader *reader = tables ? fano_reader_new(tables, 256) : NULL;
 *     fano_position position = { 1, (uint64_t)1 << 44, 0 };   // white on a1, black on i5, White moves
 *     fano_value value;
 *     if (reader && fano_probe(reader, &position, &value) == FANO_OK)
 *         printf("%d in %d\n", value.result, value.turns);
 *     fano_reader_free(reader);
 *     fano_close(tables);
 *
 * THREADS. There is no global state. Any number of threads may use the same tables; each has a reader
 * of its own.
 *
 * MEMORY. Only fano_open and fano_reader_new allocate. Opening makes an index of one bit for each set of
 * own stones on the board: 6 MB for seven stones on 9x5, in a second; 27 MB for eight. Files are mapped on
 * POSIX systems and read elsewhere. A file that becomes shorter while it is mapped ends the program.
 *
 * BOUNDS. fano_open reads the beginning and the end of each file, and makes the index. fano_probe looks into
 * one block for a quiet position. Where a capture is mandatory, most tables store nothing: the value follows
 * from the turns, from those behind them, and so on as long as they capture. So a call of fano_probe or
 * fano_best_turn looks at up to FANO_MOST_TURNS turns in all, and at up to FANO_MOST_TURNS_BEYOND of those
 * in positions from which captures can lead to a missing table. Far beyond the tables, an answer takes some
 * microseconds. Each turn takes at most one look into a block. All other functions take a fixed time.
 *
 * DAMAGE. Files are checked as FORMAT.md says: headers by fano_open, and each block when it is read. A
 * damaged file gives an error and never a wrong value.
 */
#ifndef FANO_H
#define FANO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fano_status {
    FANO_OK = 0,
    FANO_MISSING = 1,  /* the tables that there are do not say it, or not within the bounds below: normal */
    FANO_ARGUMENT = 2, /* stones overlap, are off the board, too many, or none at all */
    FANO_DAMAGED = 3,  /* a block is damaged */
    FANO_NO_TURN = 4   /* fano_best_turn: the game is over */
};

/* The most turns that a call looks at, and the most of them in positions from which captures can lead to a
 * missing table. Of 700,000 random positions of 9x5 with 7 stones, none took more than 1000 with all tables. */
#define FANO_MOST_TURNS (1u << 20)
#define FANO_MOST_TURNS_BEYOND 64u

/* Point i is rank i / width and file i % width, counted from 0: bit 0 is a1, bit 1 is b1. */
typedef struct fano_position {
    uint64_t white;
    uint64_t black;
    int black_to_move; /* 0: White moves */
} fano_position;

/* A value for the side to move. */
typedef struct fano_value {
    int result; /* 1 it wins, 0 a draw, -1 it loses */
    int turns;  /* turns of both sides to the end, if both play best; -1 for a draw, or if the tables
                   do not say: those without distances never do */
} fano_value;

#define FANO_MAX_STEPS 31

/* A turn. A paika has one step. */
typedef struct fano_turn {
    uint64_t captured;
    uint8_t steps;                      /* 1 to FANO_MAX_STEPS */
    uint8_t points[FANO_MAX_STEPS + 1]; /* where the stone starts, and where each step ends */
    char kinds[FANO_MAX_STEPS];         /* 'A' approach, 'W' withdrawal, '-' paika */
} fano_turn;

/* A buffer for the text of any turn, as in d3-e3A-e4W. */
#define FANO_TURN_TEXT (4 * (FANO_MAX_STEPS + 1))

typedef struct fano_tables fano_tables;
typedef struct fano_reader fano_reader;

/* Opens all packed tables of a board and a rule set (as in "9x5", "forced-relay+no-turns-draw") in some
 * directories, which are separated by ':' (';' on Windows). The first one that has a slice is used; tables
 * with distances go before those without. NULL if there is none, if one is damaged, or if memory runs
 * out: the message says why. */
fano_tables *fano_open(const char *directories, const char *board, const char *rules, char *message,
                       size_t size);
void fano_close(fano_tables *tables);

/* Whether there is a table for so many own stones and stones of the other side, White to move. */
int fano_has(const fano_tables *tables, int own, int opponent);

/* A reader for one thread, which keeps this many blocks unpacked (at least two; a block of most tables
 * takes 2 to 16 KiB). NULL if memory runs out. Free it before the tables are closed. */
fano_reader *fano_reader_new(const fano_tables *tables, size_t blocks);
void fano_reader_free(fano_reader *reader);

/* The value of a position. On any status but FANO_OK the value is unchanged. */
int fano_probe(fano_reader *reader, const fano_position *position, fano_value *value);

/* The best turn: the soonest win, else a draw, else the latest loss; the first of equals in the order of
 * `fanorona moves`. `value` is the value of the position. The bounds are those of fano_probe,
 * for all turns together. */
int fano_best_turn(fano_reader *reader, const fano_position *position, fano_turn *turn, fano_value *value);

/* Writes the text of a turn, which fits into FANO_TURN_TEXT. */
void fano_turn_text(const fano_tables *tables, const fano_turn *turn, char *text);

/* The position after a legal turn. */
fano_position fano_play(const fano_position *position, const fano_turn *turn);

#ifdef __cplusplus
}
#endif

#endif
