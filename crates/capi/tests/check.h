/* What the tests share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fanorona.h"

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static char message[512];
static fanorona_error error = {message, sizeof message, 0};

/* Checks the status of a call that was given &error. Its message must be there, and must be short
 * enough and whole, if the call failed. */
#define EXPECT(expected, call)                                                            \
    do {                                                                                  \
        const fanorona_status status_found = (call);                                             \
        if (status_found != (expected)) {                                                        \
            fprintf(stderr, "%s:%d: status %d (%s), not %d: %s\n", __FILE__, __LINE__,    \
                    (int)status_found, message, (int)(expected), #call);                         \
            exit(1);                                                                      \
        }                                                                                 \
        CHECK(strlen(message) == error.length);                                           \
        CHECK((status_found == FANORONA_OK) == (error.length == 0));                             \
    } while (0)

#define OK(call) EXPECT(FANORONA_OK, call)

static inline const char *path_of(const char *directory, const char *name) {
    static char path[4000];
    const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK(length > 0 && (size_t)length < sizeof path);
    return path;
}

static inline fanorona_game *new_game(const char *board, const char *rules) {
    fanorona_game *game = NULL;
    OK(fanorona_game_new(board, rules, &game, &error));
    CHECK(game != NULL);
    return game;
}

static inline fanorona_position read_position(const fanorona_game *game, const char *text) {
    fanorona_position position;
    OK(fanorona_position_read(game, text, &position, &error));
    return position;
}

static inline int same_position(const fanorona_position *a, const fanorona_position *b) {
    return a->white == b->white && a->black == b->black && a->to_move == b->to_move;
}

#endif
