/* fanorona.h - the C interface of Fanorona: rules, endgame tables, proofs and an opponent.
 *
 * C99 or later, or C++11 or later. The README of the crate `capi` shows a first program, and
 * docs/ENGINE_AUTHORS.md beside it shows how a search uses the tables.
 *
 * STATUS. Functions that can fail return a fanorona_status. If it is not FANORONA_OK, the outputs
 * are unchanged, except that a handle is NULL, and except where a function says otherwise.
 *
 * ERRORS. The last argument of such a function is a fanorona_error with your buffer for a message,
 * or NULL. The message is for people; the status is for programs.
 *
 * POINTERS. NULL is refused with FANORONA_ARGUMENT, unless a function says that an argument may be
 * NULL. An output may be the same object as an input.
 *
 * TEXTS end with NUL, are UTF-8, and have at most 4095 bytes. Paths may be any bytes on Unix.
 *
 * THREADS. There is no global state but the certificates of starts that were used last. Any number of
 * threads may call any functions with the same handles at the same time. Only the functions that free a
 * handle must be the last to use it, and your own arrays and structs are yours to protect.
 *
 * Calls need up to 256 KiB of stack. A child of fork() does not have the threads of its parent: do not
 * use handles there that were used before, or fanorona_probe_many waits for ever. exec() is fine.
 *
 * HANDLES. Free each one once. NULL is allowed. Freeing a handle twice, or using it afterwards, is
 * not detected and is undefined. The order does not matter: an opponent keeps its tables open after
 * you have freed them.
 *
 * PANICS. An error inside the library becomes FANORONA_PANIC. The handles stay usable. The library
 * prints the place of the error to standard error. If memory runs out while the library allocates a
 * few bytes, the program ends; large amounts are asked for first and become FANORONA_OUT_OF_MEMORY.
 *
 * SIZES. Structs that begin with `struct_size` may grow in later versions. The functions named
 * ..._init() below set the size and clear the rest, which means the default. Other structs keep
 * their size and layout; a later version may give a reserved field a meaning, where 0 says nothing.
 * Enums may get new values: have a default case.
 */
#ifndef FANORONA_H
#define FANORONA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The version of this header. fanorona_version() is that of the library. */
#define FANORONA_VERSION_MAJOR 0
#define FANORONA_VERSION_MINOR 1
#define FANORONA_VERSION_PATCH 0
#define FANORONA_VERSION \
    ((FANORONA_VERSION_MAJOR * 1000 + FANORONA_VERSION_MINOR) * 1000 + FANORONA_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ status */

typedef int32_t fanorona_status;
enum {
    FANORONA_OK = 0,
    FANORONA_ARGUMENT = 1,       /* NULL, a number out of range, a text that is not UTF-8 or too
                                    long, a wrong struct_size: a mistake of the caller */
    FANORONA_CAPACITY = 2,       /* your array or buffer is too small; the needed size is known */
    FANORONA_BAD_GAME = 3,       /* not a board, not a rule set, or not playable together */
    FANORONA_BAD_POSITION = 4,   /* stones overlap or are off the board, or not the text of one */
    FANORONA_BAD_TURN = 5,       /* not the text of a turn, or of several */
    FANORONA_ILLEGAL_TURN = 6,   /* a turn or step that the rules do not allow there */
    FANORONA_GAME_OVER = 7,      /* there is no turn to choose */
    FANORONA_OTHER_GAME = 8,     /* tables, a book or a position of another board or rule set */
    FANORONA_NO_TABLE = 9,       /* a table that the position needs does not exist: normal */
    FANORONA_VELA_PHASE = 10,    /* the first phase of the vela, where colours matter */
    FANORONA_OTHER_TABLE = 11,   /* a file holds another table than its name says, or than the
                                    certificate was made from */
    FANORONA_DAMAGED = 12,       /* a file is damaged, cut off, or of another kind */
    FANORONA_BAD_VERSION = 13,   /* a file was written by a newer version */
    FANORONA_NOT_FOUND = 14,     /* a file or directory does not exist */
    FANORONA_IO = 15,            /* opening or reading failed otherwise */
    FANORONA_OUT_OF_MEMORY = 16, /* the memory or the threads that you asked for are not there */
    FANORONA_PROOF_FAILS = 17,   /* a certificate is intact, but its proof does not hold */
    FANORONA_NO_BOOK = 18,       /* level 9 needs a book, and the library has none of the game */
    FANORONA_PANIC = 19,         /* an error inside the library: please report it */
    FANORONA_BAD_RECORD = 20     /* not the text of a game, or a header that no game has */
};

/* Your buffer for a message. The message is cut to the capacity, at a whole character, and always
 * ends with NUL; after success it is empty. `length` becomes the length of the whole message. */
typedef struct fanorona_error {
    char *message;   /* may be NULL */
    size_t capacity;
    size_t length;
} fanorona_error;

/* A short text for a status; it need not be freed. Never NULL. */
const char *fanorona_status_text(fanorona_status status);

/* The version of the library: major * 1000000 + minor * 1000 + patch, and as a text. */
uint32_t fanorona_version(void);
const char *fanorona_version_text(void);

/* ------------------------------------------------------- positions and turns */

typedef int32_t fanorona_side;
enum { FANORONA_WHITE = 0, FANORONA_BLACK = 1 };

/* A position. Point i of a board is rank i / width and file i % width, counted from 0: bit 0 is a1,
 * bit 1 is b1, and on 9x5 bit 9 is a2 and bit 44 is i5. */
typedef struct fanorona_position {
    uint64_t white;
    uint64_t black;
    fanorona_side to_move;
} fanorona_position;

/* Kinds of steps. */
enum { FANORONA_PAIKA = 0, FANORONA_APPROACH = 1, FANORONA_WITHDRAWAL = 2 };

/* One step along a link. */
typedef struct fanorona_step {
    uint8_t from;
    uint8_t to;
    uint8_t kind;
    uint8_t direction; /* 0 to 7, counter-clockwise from east (a1-b1); not read from you */
} fanorona_step;

#define FANORONA_MAX_STEPS 31

/* A turn: a paika, or one or more capturing steps. Of a turn that you give, only `num_steps` and
 * the steps are read; the rest follows from them. */
typedef struct fanorona_turn {
    uint64_t captured;   /* the stones that it takes */
    uint8_t origin;      /* the point where the stone starts */
    uint8_t destination; /* the point where it ends */
    uint8_t num_steps;
    uint8_t reserved;    /* 0 */
    fanorona_step steps[FANORONA_MAX_STEPS];
} fanorona_turn;

/* Buffers of these sizes hold the text of any position, turn, rule set and point, with its NUL. */
#define FANORONA_POSITION_TEXT 96
#define FANORONA_TURN_TEXT 192
#define FANORONA_RULES_TEXT 192
#define FANORONA_POINT_TEXT 4

/* ---------------------------------------------------------------------- game */

/* A board and a rule set. */
typedef struct fanorona_game fanorona_game;

/* Makes a game from texts such as "9x5" and "standard". Boards have odd width and height, each at
 * least 3, and up to 63 points. The presets of rules are standard, first-capture-single,
 * forced-relay, free-capture and vela; options follow with '+', as in "standard+direction-strict".
 * FANORONA_BAD_GAME */
fanorona_status fanorona_game_new(const char *board, const char *rules, fanorona_game **game,
                                  fanorona_error *error);
void fanorona_game_free(fanorona_game *game);

/* The size of the board. */
fanorona_status fanorona_game_board(const fanorona_game *game, int32_t *width, int32_t *height,
                                    fanorona_error *error);

/* Texts are written with their NUL into `text`. If it is too small, it becomes empty, and the result
 * is FANORONA_CAPACITY. `length`, which may be NULL, becomes the length without the NUL either way.
 * With text NULL and capacity 0, only the length is written. */

/* The name of the rule set. */
fanorona_status fanorona_game_rules(const fanorona_game *game, char *text, size_t capacity,
                                    size_t *length, fanorona_error *error);

/* The start of the game. */
fanorona_status fanorona_start(const fanorona_game *game, fanorona_position *position,
                               fanorona_error *error);

/* Whether two sets of stones and a side are a position: on the board, not on the same points, not
 * more than a side starts with, and not empty. All functions check their positions themselves.
 * FANORONA_BAD_POSITION */
fanorona_status fanorona_position_check(const fanorona_game *game,
                                        const fanorona_position *position, fanorona_error *error);

/* Reads a position, as in "B7B/9/9/9/W7W w": ranks from the highest down, W, B, digits for runs of
 * empty points, and the side to move; or a board, as in "5x5", for its start.
 * FANORONA_BAD_POSITION, FANORONA_BAD_GAME (there is no such board), FANORONA_OTHER_GAME (it is on
 * another board) */
fanorona_status fanorona_position_read(const fanorona_game *game, const char *text,
                                       fanorona_position *position, fanorona_error *error);

/* Writes a position. */
fanorona_status fanorona_position_text(const fanorona_game *game,
                                       const fanorona_position *position, char *text,
                                       size_t capacity, size_t *length, fanorona_error *error);

/* Writes the name of a point, such as "d3". */
fanorona_status fanorona_point_text(const fanorona_game *game, int32_t point, char *text,
                                    size_t capacity, size_t *length, fanorona_error *error);

typedef int32_t fanorona_result;
enum {
    FANORONA_NOT_OVER = 0,
    FANORONA_WHITE_WINS = 1,
    FANORONA_BLACK_WINS = 2,
    FANORONA_DRAWN = 3 /* the side to move has no turn, under rules that call this a draw */
};

/* Whether the game is over at a position. Draws by repetition are not rules of this library. */
fanorona_status fanorona_outcome(const fanorona_game *game, const fanorona_position *position,
                                 fanorona_result *result, fanorona_error *error);

/* --------------------------------------------------------------------- turns */

/* Lists the legal turns: by origin, then by first step; a turn comes before those that go on from
 * it. `count` becomes their number. If more exist than fit, the first `capacity` are written, and
 * the result is FANORONA_CAPACITY. With turns NULL and capacity 0, they are only counted. A finished
 * game has none. Most positions have fewer than 100; the record is above 100,000.
 * FANORONA_CAPACITY (count and turns are written) */
fanorona_status fanorona_turns(const fanorona_game *game, const fanorona_position *position,
                               fanorona_turn *turns, size_t capacity, size_t *count,
                               fanorona_error *error);

/* A turn is made step by step in a fanorona_turn of your own, which begins with num_steps 0.
 * Lists the steps that can come next, as fanorona_turns lists turns. `may_stop` becomes 1 if the
 * turn may end as it is. turn may be NULL: it has not begun.
 * FANORONA_ILLEGAL_TURN (the steps so far), FANORONA_CAPACITY (all outputs are written) */
fanorona_status fanorona_next_steps(const fanorona_game *game, const fanorona_position *position,
                                    const fanorona_turn *turn, fanorona_step *steps,
                                    size_t capacity, size_t *count, int32_t *may_stop,
                                    fanorona_error *error);

/* Adds a step to a turn. `fanorona_after` gives the stones as they stand then.
 * FANORONA_ILLEGAL_TURN with the reason as a message, FANORONA_BAD_TURN (a point off the board) */
fanorona_status fanorona_add_step(const fanorona_game *game, const fanorona_position *position,
                                  fanorona_turn *turn, const fanorona_step *step,
                                  fanorona_error *error);

/* Plays a turn that may be illegal. For listed turns, `fanorona_after` is much faster.
 * FANORONA_ILLEGAL_TURN, FANORONA_BAD_TURN */
fanorona_status fanorona_play(const fanorona_game *game, const fanorona_position *position,
                              const fanorona_turn *turn, fanorona_position *after,
                              fanorona_error *error);

/* The position after a turn that was listed for this position. Nothing is checked. */
static inline fanorona_position fanorona_after(const fanorona_position *position,
                                               const fanorona_turn *turn) {
    const uint64_t moved = (UINT64_C(1) << (turn->origin & 63)) | (UINT64_C(1) << (turn->destination & 63));
    const uint64_t arrival = UINT64_C(1) << (turn->destination & 63);
    fanorona_position after = *position;
    if (position->to_move == FANORONA_WHITE) {
        after.white = (position->white & ~moved) | arrival;
        after.black = position->black & ~turn->captured;
        after.to_move = FANORONA_BLACK;
    } else {
        after.black = (position->black & ~moved) | arrival;
        after.white = position->white & ~turn->captured;
        after.to_move = FANORONA_WHITE;
    }
    return after;
}

/* Reads a legal turn, as in "d2-e3A-f4W": A is approach, W is withdrawal. Dashes may be missing, and
 * letters where only one legal turn fits.
 * FANORONA_BAD_TURN, FANORONA_ILLEGAL_TURN */
fanorona_status fanorona_turn_read(const fanorona_game *game, const fanorona_position *position,
                                   const char *text, fanorona_turn *turn, fanorona_error *error);

/* Writes a legal turn of a position.
 * FANORONA_ILLEGAL_TURN, FANORONA_BAD_TURN */
fanorona_status fanorona_turn_text(const fanorona_game *game, const fanorona_position *position,
                                   const fanorona_turn *turn, char *text, size_t capacity,
                                   size_t *length, fanorona_error *error);

/* --------------------------------------------------------------------- stop */

/* A flag that ends long work from another thread or from a signal handler. */
typedef struct fanorona_stop fanorona_stop;

fanorona_stop *fanorona_stop_new(void);
void fanorona_stop_free(fanorona_stop *stop);

/* These three allow NULL, never wait and never fail. fanorona_stop_set may be called in a signal
 * handler. A flag stays set until it is cleared. */
void fanorona_stop_set(const fanorona_stop *stop);
void fanorona_stop_clear(const fanorona_stop *stop);
int32_t fanorona_stop_is_set(const fanorona_stop *stop);

/* -------------------------------------------------------------------- tables */

typedef int32_t fanorona_value;
enum {
    FANORONA_UNKNOWN = -128, /* in a fanorona_assessment, and from fanorona_probe_many */
    FANORONA_LOSS = -1,
    FANORONA_DRAW = 0,
    FANORONA_WIN = 1
};

/* The tables of a game in a directory. */
typedef struct fanorona_tables fanorona_tables;

/* Flags of fanorona_tables_options. */
enum {
    /* Map files instead of reading them: faster. You promise that no program changes or shortens
     * them while they are open; replacing them by renaming is allowed. */
    FANORONA_TABLES_MAP = 1,
    /* Ignore unpacked tables, whose values are not compared with checksums if they are mapped. */
    FANORONA_TABLES_PACKED = 2
};

typedef struct fanorona_tables_options {
    size_t struct_size;
    uint64_t cache_bytes; /* the cache of blocks that all threads share; 0 is 64 MiB; at most 64 GiB */
    uint32_t flags;
    uint32_t threads;     /* of fanorona_probe_many, and for what the first probes compute; 0 is 1 */
} fanorona_tables_options;

static inline fanorona_tables_options fanorona_tables_options_init(void) {
    fanorona_tables_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

/* Opens tables. Cheap: each file is opened when a probe first needs it. options may be NULL. directory
 * may be several, as in PATH; a table that more than one has is that of the first.
 * FANORONA_NOT_FOUND (no such directory), FANORONA_IO */
fanorona_status fanorona_tables_open(const fanorona_game *game, const char *directory,
                                     const fanorona_tables_options *options,
                                     fanorona_tables **tables, fanorona_error *error);
void fanorona_tables_free(fanorona_tables *tables);

/* Opens the tables of all positions with up to this number of stones, and computes what the first
 * probe of each would. `complete` becomes the number of stones up to which no table is missing,
 * with or without distances: probe positions with at most this number. Takes 0.1 s for 7 stones of a
 * side on 9x5. Threads that it starts have ended when it returns.
 * As for fanorona_probe, but FANORONA_NO_TABLE does not occur. */
fanorona_status fanorona_tables_prepare(const fanorona_tables *tables, uint32_t stones,
                                        uint32_t *complete, fanorona_error *error);

/* Win, draw or loss for the side to move, from its own stones and its opponent's: the fastest probe,
 * for searches. If the `wdl` table is unpacked, mapped and open, nothing is allocated and no lock is
 * taken. Otherwise as fanorona_probe. Stones that can be in the first phase of the vela are refused,
 * because colours matter there.
 * FANORONA_VELA_PHASE, and as for fanorona_probe. */
fanorona_status fanorona_wdl(const fanorona_tables *tables, uint64_t own, uint64_t opponent,
                             fanorona_value *value, fanorona_error *error);

/* Where a value or a bound comes from, the surest first. */
typedef int32_t fanorona_source;
enum {
    FANORONA_SOURCE_NONE = -1,   /* nothing is known */
    FANORONA_SOURCE_RULES = 0,   /* the game is over, or the turn ends it */
    FANORONA_SOURCE_TABLE = 1,
    FANORONA_SOURCE_PROOF = 2,   /* a certificate */
    FANORONA_SOURCE_SEARCH = 3,  /* a search that proved it */
    FANORONA_SOURCE_ESTIMATE = 4 /* an evaluation, which proves nothing */
};

/* The value of a position for the side to move, or of a turn for the side that makes it, as far as it
 * is known. */
typedef struct fanorona_assessment {
    fanorona_value value;    /* FANORONA_UNKNOWN if it is not known */
    fanorona_value at_least; /* the value is proved to be this or better, */
    fanorona_value at_most;  /* and this or worse; LOSS and WIN if nothing is known */
    int32_t dtw;             /* distance to win: turns of both sides until the game is over, of a
                                turn with this one; -1 if it is not known, and for draws */
    fanorona_source source;  /* of the value or the bounds */
    int32_t reserved[3];     /* 0 */
} fanorona_assessment;

/* A value in a table, for the side to move. */
typedef struct fanorona_table_value {
    fanorona_value value;
    int32_t dtw; /* as in fanorona_assessment */
} fanorona_table_value;

/* The value of a position, with its distance if there are `dtw` tables for it.
 * FANORONA_NO_TABLE, FANORONA_BAD_POSITION, FANORONA_DAMAGED, FANORONA_OTHER_TABLE,
 * FANORONA_BAD_VERSION, FANORONA_IO */
fanorona_status fanorona_probe(const fanorona_tables *tables, const fanorona_position *position,
                               fanorona_table_value *value, fanorona_error *error);

/* The values of many positions. Each block is unpacked about once, and the threads of the options,
 * which stay until the tables are freed, share the work. It is about half that of a loop of probes: on
 * two cores, through Python, 0.8 us a position instead of 2.7, for half a million random ones of 5v3
 * in packed tables (AMD EPYC, 2026-11-27, nothing else running); with some hundred or fewer it is that
 * of a loop. `statuses` gets the status of each position. The result and the message are those of the
 * first position that failed; the values of the others are written all the same, and that of a failed
 * one is FANORONA_UNKNOWN. */
fanorona_status fanorona_probe_many(const fanorona_tables *tables,
                                    const fanorona_position *positions, size_t count,
                                    fanorona_table_value *values, fanorona_status *statuses,
                                    fanorona_error *error);

/* A turn with its value. */
typedef struct fanorona_ranked_turn {
    fanorona_turn turn;
    fanorona_position after;
    fanorona_assessment assessment;
} fanorona_ranked_turn;

/* The legal turns with their values, best first: sooner wins, draws, later losses. Counts and
 * capacity as in fanorona_turns, so with room for one turn you get a best one. Where the `dtw` table
 * of a turn is missing, its distance is found from the turns that follow, if they have theirs.
 * As for fanorona_probe, and FANORONA_CAPACITY (count and turns are written) */
fanorona_status fanorona_rank(const fanorona_tables *tables, const fanorona_position *position,
                              fanorona_ranked_turn *turns, size_t capacity, size_t *count,
                              fanorona_error *error);

/* ----------------------------------------------------------------- knowledge */

/* Certificates of one game that answer positions; see fanorona_book_open. */
typedef struct fanorona_book fanorona_book;

/* The value of a position, or what is known of it: from the rules, from tables, which may be NULL, and
 * from a book, and from the same of the positions after its turns. With NULL for the book, it is the
 * certificate of the start, which the library has for most games, with those of some first turns. A
 * question follows a certificate as far as it needs: milliseconds for the first turns of 9x5, 2 s for the
 * last positions before its tables.
 * FANORONA_OTHER_GAME (the tables or the book), and as for fanorona_probe, but a missing table is no
 * failure. */
fanorona_status fanorona_assess(const fanorona_game *game, const fanorona_tables *tables,
                                const fanorona_book *book, const fanorona_position *position,
                                fanorona_assessment *assessment, fanorona_error *error);

/* The legal turns with what is known of each, in the order of fanorona_rank; a turn of which nothing is
 * known stands between the draws and what cannot win.
 * As for fanorona_assess, and FANORONA_CAPACITY (count and turns are written) */
fanorona_status fanorona_assess_turns(const fanorona_game *game, const fanorona_tables *tables,
                                      const fanorona_book *book, const fanorona_position *position,
                                      fanorona_ranked_turn *turns, size_t capacity, size_t *count,
                                      fanorona_error *error);

/* Why a line ends. */
typedef int32_t fanorona_line_end;
enum {
    FANORONA_LINE_FINISHED = 0,   /* the game is over */
    FANORONA_LINE_TABLE_EDGE = 1, /* no turn is known to be the best from here on */
    FANORONA_LINE_REPETITION = 2, /* the last position was there before */
    FANORONA_LINE_UNKNOWN = 3,    /* no turn is known to be the best at all */
    FANORONA_LINE_LENGTH = 4      /* the line has as many turns as there was room for */
};

/* Best play by both sides from a position, as far as it is known, of at most `capacity` turns; each is
 * the first in the list of its position. As for fanorona_assess */
fanorona_status fanorona_line(const fanorona_game *game, const fanorona_tables *tables,
                              const fanorona_book *book, const fanorona_position *position,
                              fanorona_ranked_turn *line, size_t capacity, size_t *count,
                              fanorona_line_end *end, fanorona_error *error);

/* ------------------------------------------------------------------- searches */

/* The progress of a search. */
typedef struct fanorona_search_report {
    size_t struct_size;
    uint64_t nodes;
    uint64_t table_hits;
    uint64_t milliseconds;
    fanorona_assessment assessment; /* as known by now */
    uint32_t memory_filled;         /* thousandths */
    uint32_t depth;                 /* searched completely; 0 from fanorona_analyze */
    int32_t estimate;               /* as in fanorona_choice; 0 from fanorona_analyze */
    int32_t has_turn;               /* 1 if there is a turn; 0 from fanorona_analyze */
    fanorona_turn turn;             /* the best by now */
} fanorona_search_report;

/* A function of yours that hears of the progress: fanorona_analyze calls it about twice a second, and
 * fanorona_opponent_choose when a depth is complete. Any result but 0 stops the search, as
 * fanorona_stop_set does; the stop flag that you gave is set then. It is called by threads of the
 * library, one at a time. It may call the library, but it must return: no longjmp, no exception. The
 * report is gone afterwards. */
typedef int32_t (*fanorona_search_progress)(const fanorona_search_report *report, void *data);

/* Why a search ended. */
typedef int32_t fanorona_end;
enum {
    FANORONA_END_DECIDED = 0, /* the value is known */
    FANORONA_END_DEPTH = 1,
    FANORONA_END_NODES = 2,
    FANORONA_END_TIME = 3,
    FANORONA_END_STOPPED = 4
};

typedef struct fanorona_analyze_options {
    size_t struct_size;
    uint64_t nodes;        /* 0 is no limit */
    uint64_t milliseconds; /* 0 is no limit */
    uint64_t memory;       /* bytes; 0 is 256 MiB */
    uint32_t threads;      /* 0 is 1 */
    uint32_t reserved;     /* 0 */
    fanorona_search_progress progress; /* may be NULL */
    void *progress_data;
} fanorona_analyze_options;

static inline fanorona_analyze_options fanorona_analyze_options_init(void) {
    fanorona_analyze_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

typedef struct fanorona_analysis {
    size_t struct_size;
    uint64_t nodes;
    uint64_t table_hits;
    uint64_t milliseconds;
    fanorona_assessment assessment;
    fanorona_end end;
    int32_t has_turn;   /* 1 if there is a turn */
    fanorona_turn turn; /* gets at least the lower bound */
} fanorona_analysis;

static inline fanorona_analysis fanorona_analysis_init(void) {
    fanorona_analysis analysis;
    memset(&analysis, 0, sizeof analysis);
    analysis.struct_size = sizeof analysis;
    return analysis;
}

/* Proves the value of a position, or bounds of it: as fanorona_assess with tables and the certificate
 * of the start, and where these do not have the value, by a search, which ends at a limit or when the
 * flag is set. Without limits it may take very long.
 * tables, options and stop may be NULL. Each call has memory of its own.
 * FANORONA_OTHER_GAME (the tables), FANORONA_OUT_OF_MEMORY, and as for fanorona_probe, but a missing
 * table is no failure. A search that was stopped is FANORONA_OK with FANORONA_END_STOPPED. */
fanorona_status fanorona_analyze(const fanorona_game *game, const fanorona_tables *tables,
                                 const fanorona_position *position,
                                 const fanorona_analyze_options *options,
                                 const fanorona_stop *stop, fanorona_analysis *analysis,
                                 fanorona_error *error);

/* Opens certificates. Checksums are compared, but proofs are believed: `fanorona check`
 * checks files of unknown origin.
 * FANORONA_OTHER_GAME, FANORONA_NOT_FOUND, FANORONA_IO, FANORONA_DAMAGED, FANORONA_BAD_VERSION */
fanorona_status fanorona_book_open(const fanorona_game *game, const char *const *files,
                                   size_t count, fanorona_book **book, fanorona_error *error);
void fanorona_book_free(fanorona_book *book);

typedef struct fanorona_book_answer {
    size_t struct_size;
    fanorona_assessment assessment;
    int32_t has_turn;   /* 1 if a proof for the side to move has the position */
    int32_t distance;   /* in a proof of a win: entries until a capture or the end, or -1 */
    fanorona_turn turn; /* keeps what is proved */
} fanorona_book_answer;

static inline fanorona_book_answer fanorona_book_answer_init(void) {
    fanorona_book_answer answer;
    memset(&answer, 0, sizeof answer);
    answer.struct_size = sizeof answer;
    return answer;
}

/* What a book knows of a position. With tables, which may be NULL, it knows more.
 * FANORONA_BAD_POSITION, FANORONA_OTHER_GAME (the tables), FANORONA_DAMAGED, FANORONA_IO */
fanorona_status fanorona_book_lookup(const fanorona_book *book, const fanorona_tables *tables,
                                     const fanorona_position *position,
                                     fanorona_book_answer *answer, fanorona_error *error);

/* ------------------------------------------------------------------ opponent */

/* A player. It remembers its searches. Calls with one opponent wait for each other: make one for
 * each game that is played at the same time. */
typedef struct fanorona_opponent fanorona_opponent;

/* Flags of fanorona_opponent_options. */
enum {
    FANORONA_NO_REPETITION = 1 /* the third occurrence of a position does not end the game */
};

typedef struct fanorona_opponent_options {
    size_t struct_size;
    uint64_t memory;          /* bytes; 0 is 64 MiB */
    uint64_t seed;            /* of what varies; 0: another one each time */
    uint32_t level;           /* 1 (beginner) to 8 (full strength), 9 (cannot lose); 0 is 8 */
    uint32_t threads;         /* from level 8 on; 0 is 1 */
    uint32_t flags;
    uint32_t without_capture; /* turns of both sides without a capture that end the game; 0: none */
    int32_t contempt;         /* 1 to 100: how much levels 8 and 9 avoid simple positions, which are
                                 often drawn; 0 is 7; -1 is not at all, as in analysis */
    uint32_t reserved;        /* 0 */
} fanorona_opponent_options;

static inline fanorona_opponent_options fanorona_opponent_options_init(void) {
    fanorona_opponent_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

/* Makes an opponent. tables, book and options may be NULL. Levels below 8 do not use tables. Level 9
 * needs a book with a proof for the start, by default that of the library, and the tables that it rests
 * on; or tables that hold the start.
 * The seed decides the noise of levels 1 to 7. Levels 8 and 9 have none: there it only decides between
 * turns with nearly the same score, and without contempt it decides nothing. The defaults are those of all
 * players of the project.
 * FANORONA_OTHER_GAME, FANORONA_OUT_OF_MEMORY, FANORONA_NO_BOOK, FANORONA_NO_TABLE (level 9), and
 * failures of files as for fanorona_probe */
fanorona_status fanorona_opponent_new(const fanorona_game *game, const fanorona_tables *tables,
                                      const fanorona_book *book,
                                      const fanorona_opponent_options *options,
                                      fanorona_opponent **opponent, fanorona_error *error);
void fanorona_opponent_free(fanorona_opponent *opponent);

/* Forgets all earlier searches. */
fanorona_status fanorona_opponent_forget(const fanorona_opponent *opponent, fanorona_error *error);

/* When a search ends; the first limit that is reached counts. Levels below 8 end by themselves. */
typedef struct fanorona_limits {
    size_t struct_size;
    uint64_t nodes;        /* 0 is no limit */
    uint64_t milliseconds; /* 0 is no limit */
    uint32_t depth;        /* turns to look ahead; 0 is no limit */
    uint32_t reserved;     /* 0 */
    fanorona_search_progress progress; /* may be NULL */
    void *progress_data;
} fanorona_limits;

static inline fanorona_limits fanorona_limits_init(void) {
    fanorona_limits limits;
    memset(&limits, 0, sizeof limits);
    limits.struct_size = sizeof limits;
    return limits;
}

typedef struct fanorona_choice {
    size_t struct_size;
    uint64_t nodes;
    uint64_t table_hits;
    uint64_t milliseconds;
    fanorona_assessment assessment; /* of the turn */
    int32_t turns;                  /* of both sides within which the game ends: dtw, or what a
                                       search has proved; -1 if unknown */
    int32_t estimate;               /* where the value is not known: 100 times the natural logarithm
                                       of the odds of winning, for the side to move; otherwise 0 */
    uint32_t depth;                 /* searched completely */
    fanorona_end end;
    fanorona_turn turn;
} fanorona_choice;

static inline fanorona_choice fanorona_choice_init(void) {
    fanorona_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.struct_size = sizeof choice;
    return choice;
}

/* Chooses a turn. `earlier` are the positions of the game before this one, oldest first, so that
 * repetition is seen and turns without a capture are counted; NULL and 0 if they do not matter. limits
 * and stop may be NULL: then at level 8 and above the search ends when the value is proved, or at
 * depth 100, which can take very long. A search that is stopped has a turn all the same.
 * FANORONA_GAME_OVER, FANORONA_BAD_POSITION, and failures of files as for fanorona_probe */
fanorona_status fanorona_opponent_choose(const fanorona_opponent *opponent,
                                         const fanorona_position *position,
                                         const fanorona_position *earlier, size_t num_earlier,
                                         const fanorona_limits *limits,
                                         const fanorona_stop *stop, fanorona_choice *choice,
                                         fanorona_error *error);

/* -------------------------------------------------------------------- records */

/* The games of a text. */
typedef struct fanorona_records fanorona_records;

/* Buffers of these sizes hold any name of a player and any date, with the NUL. */
#define FANORONA_NAME_TEXT 404
#define FANORONA_DATE_TEXT 12

/* A game without its turns. */
typedef struct fanorona_record {
    size_t struct_size;
    size_t num_turns;
    fanorona_position start;
    int32_t width;
    int32_t height;
    fanorona_result result;         /* FANORONA_NOT_OVER: the game goes on, or was broken off */
    uint32_t flags;                 /* as of an opponent: FANORONA_NO_REPETITION */
    uint32_t without_capture;       /* as of an opponent */
    char rules[FANORONA_RULES_TEXT];
    char white[FANORONA_NAME_TEXT]; /* empty if the name is not known */
    char black[FANORONA_NAME_TEXT];
    char date[FANORONA_DATE_TEXT];  /* as in 2026-11-22; empty if it is not known */
} fanorona_record;

static inline fanorona_record fanorona_record_init(void) {
    fanorona_record record;
    memset(&record, 0, sizeof record);
    record.struct_size = sizeof record;
    return record;
}

/* Reads the games of a text of `length` bytes, which needs no NUL: in the form that
 * fanorona_record_text writes, or another that the program `fanorona` reads. `count` becomes their
 * number. A game that cannot be read counts too, and fanorona_records_get says why. */
fanorona_status fanorona_records_read(const char *text, size_t length, fanorona_records **records,
                                      size_t *count, fanorona_error *error);
void fanorona_records_free(fanorona_records *records);

/* One of the games, counted from 0, and its turns. With turns NULL and capacity 0, only the record is
 * written. FANORONA_BAD_RECORD (the message has line and column), FANORONA_CAPACITY (the record and as
 * many turns as fit are written) */
fanorona_status fanorona_records_get(const fanorona_records *records, size_t index,
                                     fanorona_record *record, fanorona_turn *turns,
                                     size_t capacity, fanorona_error *error);

/* The comments of a game behind a number of turns: 0 is before the first. Empty if there is none.
 * FANORONA_BAD_RECORD */
fanorona_status fanorona_records_comment(const fanorona_records *records, size_t index,
                                         size_t turns, char *text, size_t capacity,
                                         size_t *length, fanorona_error *error);

/* Its variations there, one a line, without their brackets. They are not checked. As above. */
fanorona_status fanorona_records_variations(const fanorona_records *records, size_t index,
                                            size_t turns, char *text, size_t capacity,
                                            size_t *length, fanorona_error *error);

/* Writes a game with its `num_turns` turns. `comments` is NULL or has one text more than there are
 * turns, the first for the start; each may be NULL. `variations` likewise, with one variation a line.
 * A result of FANORONA_NOT_OVER becomes what follows from the turns. A game may have been played on
 * after a draw by repetition or without a capture.
 * FANORONA_ILLEGAL_TURN, FANORONA_BAD_TURN, FANORONA_BAD_GAME, FANORONA_BAD_POSITION,
 * FANORONA_BAD_RECORD (a name, a date, a bracket of a variation, more than 10000 turns, a result that
 * contradicts the turns) */
fanorona_status fanorona_record_text(const fanorona_record *record, const fanorona_turn *turns,
                                     const char *const *comments, const char *const *variations,
                                     char *text, size_t capacity, size_t *length,
                                     fanorona_error *error);

#ifdef __cplusplus
}
#endif

#endif
