/* fano.c - see fano.h. Written from FORMAT.md and RULES.md alone. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "fano.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define PATH_SEPARATOR ';'
#else
#define PATH_SEPARATOR ':'
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#define MAX_POINTS 63
#define MAX_STONES 31
#define MAX_SYMMETRIES 8
#define ALL_DIRECTIONS 0xffu

/* What a turn that is looked at takes of a call's FANO_MOST_TURNS, where captures can lead to a missing table. */
#define BEYOND (FANO_MOST_TURNS / FANO_MOST_TURNS_BEYOND)

/* ---------------------------------------------------------------- small things */

static uint64_t read_number(const uint8_t *bytes, int size) {
    uint64_t number = 0;
    while (size-- > 0)
        number = number << 8 | bytes[size];
    return number;
}

#if defined(__GNUC__)
static int count(uint64_t set) { return __builtin_popcountll(set); }
static int lowest(uint64_t set) { return __builtin_ctzll(set); }
#else
static int count(uint64_t set) {
    set -= set >> 1 & 0x5555555555555555u;
    set = (set & 0x3333333333333333u) + (set >> 2 & 0x3333333333333333u);
    set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(set * 0x0101010101010101u >> 56);
}
static int lowest(uint64_t set) { return count(~set & (set - 1)); }
#endif

static uint64_t bit(int point) { return (uint64_t)1 << point; }

/* A message, and failure. */
static int refuse(char *message, size_t size, const char *form, ...) {
    va_list values;
    va_start(values, form);
    if (message && size)
        vsnprintf(message, size, form, values);
    va_end(values);
    return 0;
}

/* ----------------------------------------------------------------------- rules */

enum { EACH_OTHER_THAN_LAST, EACH_ONCE, ANY_DIRECTION };

typedef struct Rules {
    int preset, direction, no_turns_draw;
    /* Of the vela; 0 stones: not given. */
    int victor_black, stones, must_capture;
} Rules;

/* The freedom of the side to move at one position: when it may play a paika (by a step that cannot capture, where
 * there is no capture, by any step, never), what a capture takes, and how a relay goes on. */
enum { WITHOUT_CAPTURE, WHERE_NO_CAPTURE, ANYWHERE, NOWHERE };
enum { WHOLE_LINE, NEAREST, NO_CAPTURE };
enum { ONE_STEP, MAY_GO_ON, MUST_GO_ON };

typedef struct Freedom {
    int paikas, captures, relay, direction;
} Freedom;

static const char *const PRESETS[] = {"standard", "first-capture-single", "forced-relay", "free-capture", "vela"};
enum { STANDARD, FIRST_CAPTURE_SINGLE, FORCED_RELAY, FREE_CAPTURE, VELA, NUM_PRESETS };

static int is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static int parse_rules(const char *text, Rules *parsed) {
    memset(parsed, 0, sizeof *parsed);
    for (int first = 1;; first = 0) {
        size_t length = strcspn(text, "+");
        int is_vela = parsed->preset == VELA;
        if (first) {
            while (parsed->preset < NUM_PRESETS && !is_word(text, length, PRESETS[parsed->preset]))
                ++parsed->preset;
            if (parsed->preset == NUM_PRESETS)
                return 0;
        } else if (is_word(text, length, "direction-strict")) {
            parsed->direction = EACH_ONCE;
        } else if (is_word(text, length, "direction-free")) {
            parsed->direction = ANY_DIRECTION;
        } else if (is_word(text, length, "no-turns-draw")) {
            parsed->no_turns_draw = 1;
        } else if (is_vela && is_word(text, length, "victor-black")) {
            parsed->victor_black = 1;
        } else if (is_vela && is_word(text, length, "must-capture")) {
            parsed->must_capture = 1;
        } else if (is_vela && length >= 8 && length <= 9 && memcmp(text, "stones-", 7) == 0
                   && strspn(text + 7, "0123456789") == length - 7) {
            parsed->stones = atoi(text + 7);
            if (parsed->stones == 0)
                return 0;
        } else {
            return 0;
        }
        if (text[length] == 0)
            return 1;
        text += length + 1;
    }
}

static void rules_text(const Rules *rules, char text[128]) {
    char stones[20] = "";
    if (rules->stones)
        snprintf(stones, sizeof stones, "+stones-%d", rules->stones);
    snprintf(text, 128, "%s%s%s%s%s%s", PRESETS[rules->preset],
             rules->direction == EACH_ONCE ? "+direction-strict"
             : rules->direction == ANY_DIRECTION ? "+direction-free" : "",
             rules->no_turns_draw ? "+no-turns-draw" : "", rules->victor_black ? "+victor-black" : "", stones,
             rules->must_capture ? "+must-capture" : "");
}

/* ----------------------------------------------------------------------- board */

typedef struct Board {
    int width, height, points, symmetries, max_stones;
    uint64_t all;
    int by[8];          /* what a step adds to a point's number; east first, counter-clockwise */
    uint64_t linked[8]; /* the points with a link in a direction */
    uint64_t image[MAX_SYMMETRIES][8][256]; /* of each byte of a set */
    uint64_t choose[MAX_POINTS + 1][MAX_STONES + 1];
} Board;

static const int INVERSE[MAX_SYMMETRIES] = {0, 1, 2, 3, 4, 6, 5, 7};

static int mapped_point(const Board *board, int symmetry, int point) {
    int file = point % board->width, rank = point / board->width;
    if (symmetry & 4) {
        int other = file;
        file = rank;
        rank = other;
    }
    if (symmetry & 1) {
        if (symmetry & 4)
            rank = board->height - 1 - rank;
        else
            file = board->width - 1 - file;
    }
    if (symmetry & 2) {
        if (symmetry & 4)
            file = board->width - 1 - file;
        else
            rank = board->height - 1 - rank;
    }
    return rank * board->width + file;
}

static int make_board(Board *board, const char *text) {
    static const int FILES[8] = {1, 1, 0, -1, -1, -1, 0, 1}, RANKS[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    memset(board, 0, sizeof *board);
    char *end;
    long width = strtol(text, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < 3 || height < 3 || width % 2 == 0 || height % 2 == 0 || width > 21 || height > 21
        || width * height > MAX_POINTS)
        return 0;
    board->width = (int)width;
    board->height = (int)height;
    board->points = (int)(width * height);
    board->max_stones = (board->points - 1) / 2;
    board->symmetries = width == height ? 8 : 4;
    board->all = bit(board->points) - 1;
    for (int direction = 0; direction < 8; ++direction) {
        board->by[direction] = RANKS[direction] * board->width + FILES[direction];
        for (int point = 0; point < board->points; ++point) {
            int file = point % board->width, rank = point / board->width;
            int to_file = file + FILES[direction], to_rank = rank + RANKS[direction];
            if (to_file >= 0 && to_file < width && to_rank >= 0 && to_rank < height
                && (direction % 2 == 0 || (file + rank) % 2 == 0))
                board->linked[direction] |= bit(point);
        }
    }
    for (int symmetry = 0; symmetry < board->symmetries; ++symmetry)
        for (int byte = 0; byte < 8; ++byte)
            for (int set = 0; set < 256; ++set)
                for (int i = 0; i < 8; ++i)
                    if (set >> i & 1 && 8 * byte + i < board->points)
                        board->image[symmetry][byte][set] |= bit(mapped_point(board, symmetry, 8 * byte + i));
    for (int n = 0; n <= MAX_POINTS; ++n)
        for (int k = 0; k <= MAX_STONES; ++k)
            board->choose[n][k] = k == 0 ? 1 : n == 0 ? 0 : board->choose[n - 1][k - 1] + board->choose[n - 1][k];
    return 1;
}

static uint64_t image(const Board *board, int symmetry, uint64_t set) {
    uint64_t mapped = 0;
    for (int byte = 0; set; ++byte, set >>= 8)
        mapped |= board->image[symmetry][byte][set & 255];
    return mapped;
}

static uint64_t shift(const Board *board, uint64_t set, int direction) {
    int by = board->by[direction];
    set &= board->linked[direction];
    return by > 0 ? set << by : set >> -by;
}

static int opposite(int direction) { return direction ^ 4; }

static uint64_t rank_of(const Board *board, uint64_t set) {
    uint64_t rank = 0;
    for (int k = 1; set; set &= set - 1, ++k)
        rank += board->choose[lowest(set)][k];
    return rank;
}

/* The lowest image of a set, and the lowest number of a symmetry that maps it to the set. */
static uint64_t representative(const Board *board, uint64_t set, int *symmetry) {
    uint64_t least = set;
    *symmetry = 0;
    for (int k = 1; k < board->symmetries; ++k) {
        uint64_t mapped = image(board, INVERSE[k], set);
        if (mapped < least) {
            least = mapped;
            *symmetry = k;
        }
    }
    return least;
}

/* ---------------------------------------------------------------------- tables */

/* The orbits of the sets of so many points: a bit for each set in the order of ranks, 1 if it is a
 * representative, and how many come before every eighth word. */
typedef struct Orbits {
    uint64_t *is_representative, rows;
    uint32_t *before;
} Orbits;

typedef struct Table {
    const uint8_t *file;
    size_t length;
    int is_mapped, bits, captures_stored, has_distances;
    uint32_t block_values;
    uint64_t values, blocks, blocks_end, rows, columns;
    uint32_t most; /* no value is greater */
} Table;

struct fano_tables {
    Board board;
    Rules rules;
    Orbits orbits[MAX_STONES + 1];
    Table *tables;
    int num_tables, has_distances;
    size_t block_bytes; /* of the largest block, unpacked */
    /* By side to move, which only matters in the vela, own stones and the other side's; -1: none. */
    int16_t number[2][MAX_STONES + 1][MAX_STONES + 1];
    /* In the same order: whether captures lead to no missing table. */
    uint8_t is_complete[2][MAX_STONES + 1][MAX_STONES + 1];
};

/* A block that is unpacked. It has two places to choose from, and takes the one used longer ago. */
typedef struct Cached {
    int table; /* -1: empty */
    int is_older;
    uint64_t block;
} Cached;

struct fano_reader {
    const fano_tables *tables;
    ZSTD_DCtx *zstd;
    Cached *cached;
    uint8_t *bytes; /* block_bytes for each */
    size_t blocks;
    uint32_t left; /* of the present call's FANO_MOST_TURNS */
};

static int make_orbits(const Board *board, Orbits *orbits, int stones) {
    uint64_t sets = board->choose[board->points][stones], words = sets / 64 + 1, groups = words / 8 + 1;
    if (orbits->is_representative)
        return 1;
    if (sets > UINT32_MAX || words > SIZE_MAX / 8)
        return 0;
    orbits->is_representative = (uint64_t *)calloc((size_t)words, sizeof(uint64_t));
    orbits->before = (uint32_t *)calloc((size_t)groups, sizeof(uint32_t));
    if (!orbits->is_representative || !orbits->before)
        return 0;
    uint64_t set = bit(stones) - 1;
    for (uint64_t rank = 0; rank < sets; ++rank) {
        if (rank % 512 == 0)
            orbits->before[rank / 512] = (uint32_t)orbits->rows;
        int is_least = 1;
        for (int k = 1; k < board->symmetries && is_least; ++k)
            is_least = image(board, k, set) >= set;
        if (is_least) {
            orbits->is_representative[rank / 64] |= bit((int)(rank % 64));
            ++orbits->rows;
        }
        /* The next higher set of as many points. */
        uint64_t low = set & (~set + 1), higher = set + low;
        set = higher | ((set ^ higher) >> (2 + lowest(set)));
    }
    return 1;
}

static uint64_t row_of(const Orbits *orbits, uint64_t rank) {
    uint64_t word = rank / 64, row = orbits->before[rank / 512];
    for (uint64_t each = rank / 512 * 8; each < word; ++each)
        row += (uint64_t)count(orbits->is_representative[each]);
    return row + (uint64_t)count(orbits->is_representative[word] & (bit((int)(rank % 64)) - 1));
}

/* The bytes that so many values need. */
static size_t bytes_of(const Table *table, uint64_t values) {
    return (size_t)((values * (uint64_t)table->bits + 7) / 8);
}

/* Fields of the metadata, one after the other. After the end they are 0, and `ended` is set. */
typedef struct Fields {
    const uint8_t *next, *end;
    int ended;
} Fields;

static const uint8_t *bytes(Fields *fields, uint64_t size) {
    const uint8_t *found = fields->next;
    if (size > (uint64_t)(fields->end - fields->next)) {
        fields->ended = 1;
        return NULL;
    }
    fields->next += size;
    return found;
}

static uint64_t number(Fields *fields, int size) {
    const uint8_t *found = bytes(fields, (uint64_t)size);
    return found ? read_number(found, size) : 0;
}

static int is_text(Fields *fields, const char *expected) {
    uint64_t length = number(fields, 8);
    const uint8_t *found = bytes(fields, length);
    return found && length == strlen(expected) && memcmp(found, expected, (size_t)length) == 0;
}

static int optional_position(Fields *fields) {
    uint64_t is_there = number(fields, 1);
    if (is_there == 1)
        bytes(fields, 16);
    return is_there <= 1;
}

#ifdef FANO_WITHOUT_CHECKSUMS /* for fuzzing */
static int is_checksum(const uint8_t *data, size_t length, uint64_t expected, int size) {
    return data && (length || expected || size);
}
#else
static int is_checksum(const uint8_t *data, size_t length, uint64_t expected, int size) {
    uint64_t found = XXH3_64bits(data, length);
    return (size == 4 ? found & UINT32_MAX : found) == expected;
}
#endif

/* Reads prelude, offsets and metadata. NULL if they are good, or what is wrong. */
static const char *read_header(const Board *board, Table *table, const char *text, const char *rules, int dtw,
                               int own, int opponent) {
    const uint8_t *file = table->file;
    if (table->length < 64 || memcmp(file, "FanoTabl", 8) != 0)
        return "is not a table";
    uint64_t version = read_number(file + 8, 4);
    if (version < 1 || version > 2)
        return "has an unknown version";
    if (memcmp(file + 12, "DONE", 4) != 0 || read_number(file + 48, 8) != 0
        || !is_checksum(file, 56, read_number(file + 56, 8), 8))
        return "has a damaged prelude";
    uint64_t offsets = read_number(file + 16, 8), metadata = read_number(file + 24, 8);
    if (read_number(file + 32, 8) != table->length)
        return "has another length than it says";
    if (offsets < 64 || offsets > metadata || metadata > table->length || metadata - offsets > 1u << 30
        || table->length - metadata > 1u << 20
        || !is_checksum(file + offsets, (size_t)(table->length - offsets), read_number(file + 40, 8), 8))
        return "has a damaged tail";
    Fields fields = {file + metadata, file + table->length, 0};
    if (!is_text(&fields, text) || !is_text(&fields, rules) || number(&fields, 4) != (uint64_t)dtw
        || number(&fields, 1) != (uint64_t)own || number(&fields, 1) != (uint64_t)opponent)
        return "holds another table than its name says";
    table->bits = (int)number(&fields, 1);
    table->values = number(&fields, 8);
    table->block_values = (uint32_t)number(&fields, 4);
    uint64_t captures_stored = number(&fields, 1);
    table->captures_stored = captures_stored == 1;
    number(&fields, 8), number(&fields, 8), number(&fields, 8);
    uint64_t distances = number(&fields, 8);
    if (captures_stored > 1 || (table->bits != 2 && table->bits != 8 && table->bits != 16)
        || (dtw ? distances > 65001 : distances > 0) || table->block_values < 1 || table->block_values > 4194304)
        return "has impossible metadata";
    bytes(&fields, 8 * distances);
    int good = optional_position(&fields) && optional_position(&fields);
    if (version >= 2) {
        uint64_t zugzwangs = number(&fields, 1);
        good = good && zugzwangs <= 1;
        for (int kind = 0; kind < 3 && zugzwangs == 1; ++kind) {
            number(&fields, 8);
            good = good && optional_position(&fields);
        }
    }
    if (!good || fields.ended || fields.next != fields.end)
        return "has impossible metadata";
    table->has_distances = dtw;
    table->most = dtw ? (uint32_t)distances : 2;
    table->columns = board->choose[board->points - own][opponent];
    /* Less than 2^32 rows and 2^60 columns could overflow. */
    if (table->rows > UINT64_MAX / table->columns || table->values != table->rows * table->columns)
        return "has another number of values";
    table->blocks = (table->values - 1) / table->block_values + 1;
    table->blocks_end = offsets;
    if (table->blocks > (1u << 30) / 12 || metadata - offsets != 12 * table->blocks + 8)
        return "has an offset table of another length";
    return NULL;
}

/* ----------------------------------------------------------------------- files */

/* Maps or reads a file. 1 if it is there, 0 if not, -1 if that fails. */
static int open_file(const char *path, Table *table) {
#ifdef _WIN32
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return 0;
    long long length = _fseeki64(stream, 0, SEEK_END) == 0 ? _ftelli64(stream) : -1;
    uint8_t *data = length > 0 && (unsigned long long)length <= SIZE_MAX ? (uint8_t *)malloc((size_t)length) : NULL;
    int good = data && _fseeki64(stream, 0, SEEK_SET) == 0 && fread(data, (size_t)length, 1, stream) == 1;
    fclose(stream);
    if (!good) {
        free(data);
        return -1;
    }
    table->file = data;
    table->length = (size_t)length;
#else
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return 0;
    int good = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size >= 64
        && (uintmax_t)about.st_size <= SIZE_MAX;
    void *data = good ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    if (data == MAP_FAILED)
        return -1;
    table->file = (const uint8_t *)data;
    table->length = (size_t)about.st_size;
    table->is_mapped = 1;
#endif
    return 1;
}

static void close_file(Table *table) {
#ifndef _WIN32
    if (table->is_mapped) {
        union { const void *read; void *map; } file = {table->file};
        munmap(file.map, table->length);
        return;
    }
#else
    free((void *)table->file);
#endif
}

/* The name of the rules in the files of a slice. `white` is the side to move there. */
static void table_rules(const fano_tables *tables, int black_to_move, int own, int opponent, char text[128]) {
    Rules rules = tables->rules;
    int is_tsivy = tables->board.width == 9 && tables->board.height == 5;
    int victors = rules.victor_black == black_to_move ? own : opponent;
    if (rules.preset == VELA && victors > (rules.stones ? rules.stones : 5)) {
        rules.victor_black = rules.victor_black != black_to_move;
        if (is_tsivy && rules.stones == 5)
            rules.stones = 0;
    } else if (rules.preset == VELA) {
        rules.preset = FREE_CAPTURE;
        rules.victor_black = rules.stones = rules.must_capture = 0;
    } else if (rules.preset == FIRST_CAPTURE_SINGLE && own < tables->board.max_stones
               && opponent < tables->board.max_stones) {
        rules.preset = STANDARD;
    }
    rules_text(&rules, text);
}

/* Opens the table of a slice, if there is one. 0 if it is damaged. */
static int open_slice(fano_tables *tables, const char *directories, const char *text, int black_to_move, int own,
                      int opponent, char *message, size_t size) {
    char rules[128], path[4096];
    table_rules(tables, black_to_move, own, opponent, rules);
    for (int dtw = 1; dtw >= 0; --dtw) {
        for (const char *directory = directories; *directory;) {
            const char *end = strchr(directory, PATH_SEPARATOR);
            size_t length = end ? (size_t)(end - directory) : strlen(directory);
            Table table;
            memset(&table, 0, sizeof table);
            int written = snprintf(path, sizeof path, "%.*s/%s_%s_%dv%d.%s.fano", (int)(length > 3800 ? 3800 : length),
                                   directory, text, rules, own, opponent, dtw ? "dtw" : "wdl");
            int found = length > 3800 || written >= (int)sizeof path ? -1 : open_file(path, &table);
            if (found < 0)
                return refuse(message, size, "%s cannot be read", path);
            if (found) {
                Orbits *orbits = &tables->orbits[own];
                const char *wrong = "needs more memory than there is";
                if (make_orbits(&tables->board, orbits, own)) {
                    table.rows = orbits->rows;
                    wrong = read_header(&tables->board, &table, text, rules, dtw, own, opponent);
                }
                if (wrong) {
                    close_file(&table);
                    return refuse(message, size, "%s %s", path, wrong);
                }
                uint64_t most = table.values < table.block_values ? table.values : table.block_values;
                if (bytes_of(&table, most) > tables->block_bytes)
                    tables->block_bytes = bytes_of(&table, most);
                tables->has_distances |= dtw;
                tables->number[black_to_move][own][opponent] = (int16_t)tables->num_tables;
                tables->tables[tables->num_tables++] = table;
                return 1;
            }
            directory += length + (end != NULL);
        }
    }
    return 1;
}

/* Finds out from which slices captures lead to no missing table. Those of the last stone lead to none. */
static void find_complete(fano_tables *tables) {
    int most = tables->board.max_stones;
    for (int stones = 2; stones <= 2 * most; ++stones)
        for (int own = 1; own < stones; ++own)
            for (int side = 0, opponent = stones - own; side < 2 && own <= most && opponent <= most; ++side) {
                int number = opponent > 1 ? tables->number[!side][opponent - 1][own] : 0;
                tables->is_complete[side][own][opponent] = opponent == 1
                    || (tables->is_complete[side][own][opponent - 1] && number >= 0
                        && (tables->tables[number].captures_stored
                            || tables->is_complete[!side][opponent - 1][own]));
            }
}

fano_tables *fano_open(const char *directories, const char *text, const char *rules, char *message, size_t size) {
    fano_tables *tables = (fano_tables *)calloc(1, sizeof *tables);
    if (!tables) {
        refuse(message, size, "there is no memory");
        return NULL;
    }
    int good = 1, sides = 1;
    if (!make_board(&tables->board, text))
        good = refuse(message, size, "there is no board %.20s; boards are WIDTHxHEIGHT, as in 9x5", text);
    else if (!parse_rules(rules, &tables->rules))
        good = refuse(message, size, "there is no rule set %.100s", rules);
    else if (tables->rules.preset == VELA && !tables->rules.stones && strcmp(text, "9x5") != 0)
        good = refuse(message, size, "the vela on %s needs a number, as in vela+stones-3", text);
    sides += tables->rules.preset == VELA;
    int most = tables->board.max_stones;
    if (good) {
        tables->tables = (Table *)calloc((size_t)(sides * most * most) + 1, sizeof *tables->tables);
        if (!tables->tables)
            good = refuse(message, size, "there is no memory");
    }
    memset(tables->number, -1, sizeof tables->number);
    for (int side = 0; side < sides; ++side)
        for (int own = 1; own <= most && good; ++own)
            for (int opponent = 1; opponent <= most && good; ++opponent)
                good = open_slice(tables, directories, text, side, own, opponent, message, size);
    if (sides == 1)
        memcpy(tables->number[1], tables->number[0], sizeof tables->number[0]);
    if (good && tables->num_tables == 0)
        good = refuse(message, size, "there are no tables of %s with the rules %s in %.150s", text, rules, directories);
    if (!good) {
        fano_close(tables);
        return NULL;
    }
    find_complete(tables);
    return tables;
}

void fano_close(fano_tables *tables) {
    if (!tables)
        return;
    for (int i = 0; i < tables->num_tables; ++i)
        close_file(&tables->tables[i]);
    for (int stones = 0; stones <= MAX_STONES; ++stones) {
        free(tables->orbits[stones].is_representative);
        free(tables->orbits[stones].before);
    }
    free(tables->tables);
    free(tables);
}

int fano_has(const fano_tables *tables, int own, int opponent) {
    return own >= 1 && opponent >= 1 && own <= MAX_STONES && opponent <= MAX_STONES
        && tables->number[0][own][opponent] >= 0;
}

fano_reader *fano_reader_new(const fano_tables *tables, size_t blocks) {
    fano_reader *reader = (fano_reader *)calloc(1, sizeof *reader);
    if (!reader || blocks > SIZE_MAX / 2 / tables->block_bytes || blocks > SIZE_MAX / 2 / sizeof(Cached)) {
        free(reader);
        return NULL;
    }
    reader->tables = tables;
    blocks = blocks < 2 ? 2 : blocks + blocks % 2;
    reader->blocks = blocks;
    reader->zstd = ZSTD_createDCtx();
    reader->cached = (Cached *)malloc(blocks * sizeof(Cached));
    reader->bytes = (uint8_t *)malloc(blocks * tables->block_bytes);
    if (!reader->zstd || !reader->cached || !reader->bytes) {
        fano_reader_free(reader);
        return NULL;
    }
    for (size_t i = 0; i < blocks; ++i) {
        reader->cached[i].table = -1;
        reader->cached[i].is_older = 0;
    }
    return reader;
}

void fano_reader_free(fano_reader *reader) {
    if (!reader)
        return;
    ZSTD_freeDCtx(reader->zstd);
    free(reader->cached);
    free(reader->bytes);
    free(reader);
}

/* ---------------------------------------------------------------------- values */

/* The unpacked bytes of a block; NULL if it is damaged. */
static const uint8_t *read_block(fano_reader *reader, int number, uint64_t block) {
    const Table *table = &reader->tables->tables[number];
    uint64_t mixed = (block + (uint64_t)number * 0x1000003u) * 0x9e3779b97f4a7c15u;
    size_t place = (size_t)((mixed >> 20) % (reader->blocks / 2) * 2);
    Cached *pair = &reader->cached[place];
    int second = pair[1].table == number && pair[1].block == block;
    int is_there = second || (pair[0].table == number && pair[0].block == block);
    if (!is_there)
        second = pair[1].is_older;
    Cached *cached = &pair[second];
    uint8_t *bytes = reader->bytes + (place + (size_t)second) * reader->tables->block_bytes;
    pair[!second].is_older = 1;
    cached->is_older = 0;
    if (is_there)
        return bytes;
    cached->table = -1;
    const uint8_t *offset = table->file + table->blocks_end + 8 * block;
    uint64_t begin = read_number(offset, 8), end = read_number(offset + 8, 8);
    uint64_t checksum = read_number(table->file + table->blocks_end + 8 * (table->blocks + 1) + 4 * block, 4);
    uint64_t left = table->values - block * table->block_values;
    size_t size = bytes_of(table, left < table->block_values ? left : table->block_values);
    if (begin < 64 || begin > end || end > table->blocks_end
        || !is_checksum(table->file + begin, (size_t)(end - begin), checksum, 4)
        || ZSTD_decompressDCtx(reader->zstd, bytes, reader->tables->block_bytes, table->file + begin,
                               (size_t)(end - begin)) != size)
        return NULL;
    cached->table = number;
    cached->block = block;
    return bytes;
}

/* The stored value of a position. */
static int stored(fano_reader *reader, int number, uint64_t own, uint64_t opponent, fano_value *value) {
    const fano_tables *tables = reader->tables;
    const Table *table = &tables->tables[number];
    const Board *board = &tables->board;
    int symmetry;
    uint64_t lowest_set = representative(board, own, &symmetry), column = 0;
    uint64_t other = image(board, INVERSE[symmetry], opponent);
    for (int k = 1; other; other &= other - 1, ++k) {
        int point = lowest(other);
        column += board->choose[point - count(lowest_set & (bit(point) - 1))][k];
    }
    uint64_t row = row_of(&tables->orbits[count(own)], rank_of(board, lowest_set));
    uint64_t index = row * table->columns + column, place = index % table->block_values;
    const uint8_t *block = read_block(reader, number, index / table->block_values);
    if (!block)
        return FANO_DAMAGED;
    uint32_t found = table->bits == 2 ? (uint32_t)block[place / 4] >> 2 * (place % 4) & 3u
        : table->bits == 8 ? block[place] : (uint32_t)read_number(block + 2 * place, 2);
    if (found > table->most)
        return FANO_DAMAGED;
    value->result = found == 0 ? 0 : found % 2 ? -1 : 1;
    value->turns = found == 0 || !table->has_distances ? -1 : (int)found - 1;
    return FANO_OK;
}

/* ----------------------------------------------------------------------- turns */

/* The first steps in each direction: the stones that can make them. */
typedef struct FirstSteps {
    uint64_t approach[8], withdrawal[8], paika[8];
} FirstSteps;

static Freedom freedom_at(const fano_tables *tables, uint64_t own, uint64_t opponent, int black_to_move) {
    const Rules *rules = &tables->rules;
    Freedom freedom = {rules->preset >= FREE_CAPTURE ? WITHOUT_CAPTURE : WHERE_NO_CAPTURE, WHOLE_LINE,
                    rules->preset == FORCED_RELAY ? MUST_GO_ON : MAY_GO_ON, rules->direction};
    int is_victor = rules->victor_black == black_to_move;
    if (rules->preset == VELA && count(is_victor ? own : opponent) > (rules->stones ? rules->stones : 5)) {
        freedom.relay = ONE_STEP;
        freedom.captures = is_victor ? NO_CAPTURE : NEAREST;
        freedom.paikas = is_victor ? ANYWHERE : rules->must_capture ? NOWHERE : WITHOUT_CAPTURE;
        return freedom;
    }
    if (count(own | opponent) == tables->board.points - 1)
        freedom.paikas = WHERE_NO_CAPTURE;
    if (rules->preset == FIRST_CAPTURE_SINGLE && count(opponent) == tables->board.max_stones)
        freedom.relay = ONE_STEP;
    return freedom;
}

/* Finds the first steps, and says whether there is a capture that only a rule could forbid. */
static int find_first_steps(const Board *board, uint64_t own, uint64_t opponent, FirstSteps *found) {
    uint64_t empty = board->all & ~(own | opponent), any = 0;
    for (int direction = 0; direction < 8; ++direction) {
        int back = opposite(direction);
        uint64_t movers = own & shift(board, empty, back);
        found->approach[direction] = own & shift(board, empty & shift(board, opponent, back), back);
        found->withdrawal[direction] = movers & shift(board, opponent, direction);
        found->paika[direction] = movers & ~(found->approach[direction] | found->withdrawal[direction]);
        any |= found->approach[direction] | found->withdrawal[direction];
    }
    return any != 0;
}

/* Applies the rules to the first steps, and says whether one is left. */
static int allow(const Freedom *freedom, int can_capture, FirstSteps *steps) {
    uint64_t any = 0;
    for (int direction = 0; direction < 8; ++direction) {
        uint64_t *approach = &steps->approach[direction], *withdrawal = &steps->withdrawal[direction];
        uint64_t *paika = &steps->paika[direction];
        if (freedom->paikas == ANYWHERE)
            *paika |= *approach | *withdrawal;
        if (freedom->paikas == NOWHERE || (freedom->paikas == WHERE_NO_CAPTURE && can_capture))
            *paika = 0;
        if (freedom->captures == NO_CAPTURE)
            *approach = *withdrawal = 0;
        any |= *approach | *withdrawal | *paika;
    }
    return any != 0;
}

/* A walk over the turns of a position. `visit` is called with the stones after each, and ends the walk
 * by any answer but 0. */
typedef struct Walk {
    const Board *board;
    Freedom freedom;
    uint64_t opponent;
    fano_turn turn;
    int (*visit)(struct Walk *walk, uint64_t own, uint64_t opponent);
    void *data;
} Walk;

/* A stone in its turn: where it is, where it has been, the other stones, the directions it may take. */
typedef struct Moving {
    uint64_t at, visited, others, opponent;
    unsigned directions;
} Moving;

static int step(Walk *walk, Moving stone, int direction, char kind);

/* Calls `step` for each capture that can follow; without a walk, only says whether there is one. */
static int go_on(const Board *board, Walk *walk, Moving stone) {
    uint64_t unvisited = board->all & ~(stone.others | stone.opponent | stone.visited);
    for (int direction = 0; direction < 8; ++direction) {
        uint64_t to = shift(board, stone.at, direction) & unvisited;
        if (!to || !(stone.directions >> direction & 1))
            continue;
        int ended = 0;
        if (shift(board, to, direction) & stone.opponent)
            ended = walk ? step(walk, stone, direction, 'A') : 1;
        if (!ended && shift(board, stone.at, opposite(direction)) & stone.opponent)
            ended = walk ? step(walk, stone, direction, 'W') : 1;
        if (ended)
            return ended;
    }
    return 0;
}

/* Makes a step that the rules allow, visits the turn if it may end there, and goes on. */
static int step(Walk *walk, Moving stone, int direction, char kind) {
    const Board *board = walk->board;
    uint64_t to = shift(board, stone.at, direction), captured = 0;
    if (kind != '-') {
        int along = kind == 'A' ? direction : opposite(direction);
        uint64_t next = shift(board, kind == 'A' ? to : stone.at, along);
        for (; next & stone.opponent; next = walk->freedom.captures == NEAREST ? 0 : shift(board, next, along))
            captured |= next;
    }
    stone.at = to;
    stone.visited |= to;
    stone.opponent &= ~captured;
    stone.directions = walk->freedom.direction == ANY_DIRECTION ? ALL_DIRECTIONS
        : (walk->freedom.direction == EACH_ONCE ? stone.directions : ALL_DIRECTIONS) & ~(1u << direction);
    fano_turn *turn = &walk->turn;
    if (turn->steps == FANO_MAX_STEPS) /* each step captures, so there are never more */
        return 0;
    turn->kinds[turn->steps++] = kind;
    turn->points[turn->steps] = (uint8_t)lowest(to);
    int ended = 0, goes_on = kind != '-' && walk->freedom.relay != ONE_STEP;
    if (!goes_on || walk->freedom.relay == MAY_GO_ON || !go_on(board, NULL, stone)) {
        turn->captured = walk->opponent & ~stone.opponent;
        ended = walk->visit(walk, stone.others | stone.at, stone.opponent);
    }
    if (!ended && goes_on)
        ended = go_on(board, walk, stone);
    --turn->steps;
    return ended;
}

/* Visits all turns that begin with these steps. */
static int walk_turns(Walk *walk, uint64_t own, const FirstSteps *steps) {
    for (uint64_t stones = own; stones; stones &= stones - 1) {
        uint64_t at = stones & (~stones + 1);
        Moving stone = {at, at, own & ~at, walk->opponent, ALL_DIRECTIONS};
        walk->turn.points[0] = (uint8_t)lowest(at);
        for (int direction = 0; direction < 8; ++direction) {
            int ended = 0;
            if (steps->approach[direction] & at)
                ended = step(walk, stone, direction, 'A');
            if (!ended && steps->withdrawal[direction] & at)
                ended = step(walk, stone, direction, 'W');
            if (!ended && steps->paika[direction] & at)
                ended = step(walk, stone, direction, '-');
            if (ended)
                return ended;
        }
    }
    return 0;
}

/* --------------------------------------------------------------------- probing */

static int probe(fano_reader *reader, uint64_t own, uint64_t opponent, int black_to_move, fano_value *value);

/* The best of the turns so far. */
typedef struct Best {
    fano_reader *reader;
    int black_to_move;
    int any;           /* whether there is one */
    int missing;       /* whether a table was missing for one */
    int damaged;
    int unknown[3];    /* for losses, draws and wins: whether the distance of one is not known */
    fano_value value;  /* without what is not known */
    fano_turn turn;
    int needs_turn;
    uint32_t cost;     /* of looking at a turn */
} Best;

/* Whether a value is better for the side that has it. A known distance goes before an unknown one. */
static int is_better(const fano_value *value, const fano_value *than) {
    if (value->result != than->result)
        return value->result > than->result;
    if (value->result == 0 || value->turns == than->turns)
        return 0;
    if (value->turns < 0 || than->turns < 0)
        return value->result > 0 ? than->turns < 0 : value->turns < 0;
    return value->result > 0 ? value->turns < than->turns : value->turns > than->turns;
}

static int compare_turn(Walk *walk, uint64_t own, uint64_t opponent) {
    Best *best = (Best *)walk->data;
    fano_value value;
    if (best->reader->left < best->cost) {
        best->missing = 1;
        return 1;
    }
    best->reader->left -= best->cost;
    int status = probe(best->reader, opponent, own, !best->black_to_move, &value);
    if (status == FANO_MISSING) {
        best->missing = 1;
        return 0;
    }
    if (status != FANO_OK) {
        best->damaged = 1;
        return 1;
    }
    value.result = -value.result;
    if (value.turns >= 0)
        ++value.turns;
    best->unknown[value.result + 1] |= value.turns < 0;
    if (!best->any || is_better(&value, &best->value)) {
        best->value = value;
        if (best->needs_turn)
            best->turn = walk->turn;
        best->any = 1;
    }
    /* Nothing is better than to win at once. Without distances, a value needs only one win, and any will do. */
    if (best->needs_turn || best->reader->tables->has_distances)
        return value.result > 0 && value.turns == 1;
    best->unknown[2] |= value.result > 0;
    return value.result > 0;
}

/* The value of a position as the best of its turns. */
static int search(fano_reader *reader, uint64_t own, uint64_t opponent, int black_to_move, const Freedom *freedom,
                  const FirstSteps *steps, fano_value *value, fano_turn *turn) {
    Walk walk;
    Best best;
    memset(&best, 0, sizeof best);
    best.reader = reader;
    best.black_to_move = black_to_move;
    best.needs_turn = turn != NULL;
    /* The turns of the position that is asked for its best one do not all capture. */
    best.cost = turn || reader->tables->is_complete[black_to_move][count(own)][count(opponent)] ? 1 : BEYOND;
    memset(&walk.turn, 0, sizeof walk.turn);
    walk.board = &reader->tables->board;
    walk.freedom = *freedom;
    walk.opponent = opponent;
    walk.visit = compare_turn;
    walk.data = &best;
    walk_turns(&walk, own, steps);
    if (best.damaged)
        return FANO_DAMAGED;
    if (!best.any || (best.missing && best.value.result < 1))
        return FANO_MISSING;
    int is_known = !best.missing && !best.unknown[best.value.result + 1];
    if (!is_known && (best.value.turns != 1 || !(turn || reader->tables->has_distances)))
        best.value.turns = -1;
    *value = best.value;
    if (turn)
        *turn = best.turn;
    return FANO_OK;
}

/* Finds the value of a game that is over without a table: 1 if it is. */
static int is_over(const fano_tables *tables, uint64_t own, uint64_t opponent, const Freedom *freedom, int has_turn,
                   fano_value *value) {
    if (own && opponent && has_turn)
        return 0;
    int is_draw = own && opponent && tables->rules.no_turns_draw && freedom->paikas != NOWHERE;
    value->result = own && !opponent ? 1 : is_draw ? 0 : -1;
    value->turns = is_draw ? -1 : 0;
    return 1;
}

static int probe(fano_reader *reader, uint64_t own, uint64_t opponent, int black_to_move, fano_value *value) {
    const fano_tables *tables = reader->tables;
    Freedom freedom = freedom_at(tables, own, opponent, black_to_move);
    FirstSteps steps;
    int can_capture = find_first_steps(&tables->board, own, opponent, &steps);
    int has_turn = allow(&freedom, can_capture, &steps);
    if (is_over(tables, own, opponent, &freedom, has_turn, value))
        return FANO_OK;
    int number = tables->number[black_to_move][count(own)][count(opponent)];
    if (number >= 0 && (!can_capture || tables->tables[number].captures_stored))
        return stored(reader, number, own, opponent, value);
    /* Smaller slices decide, unless the side to move can also play a paika. */
    if (can_capture && (freedom.paikas == WHERE_NO_CAPTURE || freedom.paikas == NOWHERE))
        return search(reader, own, opponent, black_to_move, &freedom, &steps, value, NULL);
    return FANO_MISSING;
}

static int is_good(const fano_tables *tables, const fano_position *position) {
    const Board *board = &tables->board;
    return !(position->white & position->black) && !((position->white | position->black) & ~board->all)
        && (position->white | position->black) != 0 && count(position->white) <= board->max_stones
        && count(position->black) <= board->max_stones;
}

static void sides(const fano_position *position, uint64_t *own, uint64_t *opponent) {
    *own = position->black_to_move ? position->black : position->white;
    *opponent = position->black_to_move ? position->white : position->black;
}

int fano_probe(fano_reader *reader, const fano_position *position, fano_value *value) {
    uint64_t own, opponent;
    fano_value found;
    if (!is_good(reader->tables, position))
        return FANO_ARGUMENT;
    sides(position, &own, &opponent);
    reader->left = FANO_MOST_TURNS;
    int status = probe(reader, own, opponent, position->black_to_move != 0, &found);
    if (status == FANO_OK)
        *value = found;
    return status;
}

int fano_best_turn(fano_reader *reader, const fano_position *position, fano_turn *turn, fano_value *value) {
    uint64_t own, opponent;
    const fano_tables *tables = reader->tables;
    fano_value over;
    if (!is_good(tables, position))
        return FANO_ARGUMENT;
    sides(position, &own, &opponent);
    Freedom freedom = freedom_at(tables, own, opponent, position->black_to_move != 0);
    FirstSteps steps;
    int has_turn = allow(&freedom, find_first_steps(&tables->board, own, opponent, &steps), &steps);
    if (is_over(tables, own, opponent, &freedom, has_turn, &over))
        return FANO_NO_TURN;
    reader->left = FANO_MOST_TURNS;
    return search(reader, own, opponent, position->black_to_move != 0, &freedom, &steps, value, turn);
}

void fano_turn_text(const fano_tables *tables, const fano_turn *turn, char *text) {
    size_t at = 0;
    for (int i = 0; i <= turn->steps && i <= FANO_MAX_STEPS; ++i) {
        int file = turn->points[i] % tables->board.width, rank = turn->points[i] / tables->board.width;
        char kind = i ? turn->kinds[i - 1] : '-';
        at += (size_t)snprintf(text + at, FANO_TURN_TEXT - at, "%s%c%d", i ? "-" : "", 'a' + file, rank + 1);
        if (kind != '-' && at + 1 < FANO_TURN_TEXT) {
            text[at++] = kind;
            text[at] = 0;
        }
    }
}

fano_position fano_play(const fano_position *position, const fano_turn *turn) {
    fano_position after = *position;
    uint64_t *own = position->black_to_move ? &after.black : &after.white;
    uint64_t *opponent = position->black_to_move ? &after.white : &after.black;
    *own = (*own & ~bit(turn->points[0])) | bit(turn->points[turn->steps]);
    *opponent &= ~turn->captured;
    after.black_to_move = !position->black_to_move;
    return after;
}
