/* Two levels play a game against each other and print it.
 *
 *     play BOARD RULES WHITE BLACK SEED
 *
 * WHITE and BLACK are levels from 1 to 8. A third occurrence of a position ends the game as a draw.
 * Ctrl-C ends it as well. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

/* Set before the handler is installed, and not changed afterwards. */
static fanorona_stop *stop;

static void on_interrupt(int number) {
    (void)number;
    fanorona_stop_set(stop);
}

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "play: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

static fanorona_opponent *player(const fanorona_game *game, const char *level, const char *seed) {
    fanorona_opponent *opponent;
    fanorona_opponent_options options = fanorona_opponent_options_init();
    options.level = (uint32_t)strtoul(level, NULL, 10);
    options.seed = strtoull(seed, NULL, 10);
    options.memory = 16 << 20;
    check(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    return opponent;
}

/* How often a position occurs among others. */
static unsigned occurrences(const fanorona_position *all, size_t count,
                            const fanorona_position *wanted) {
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        found += all[i].white == wanted->white && all[i].black == wanted->black &&
                 all[i].to_move == wanted->to_move;
    }
    return found;
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: play BOARD RULES WHITE BLACK SEED\n");
        return 2;
    }
    fanorona_game *game;
    check(fanorona_game_new(argv[1], argv[2], &game, &error));
    fanorona_opponent *players[2] = {player(game, argv[3], argv[5]), player(game, argv[4], argv[5])};
    stop = fanorona_stop_new();
    signal(SIGINT, on_interrupt);

    /* The positions of the game, the current one last. */
    enum { MOST = 2000 };
    static fanorona_position positions[MOST];
    size_t plies = 0;
    check(fanorona_start(game, &positions[0], &error));

    const char *end = "too long";
    while (plies + 1 < MOST) {
        const fanorona_position *now = &positions[plies];
        fanorona_result result;
        check(fanorona_outcome(game, now, &result, &error));
        if (result != FANORONA_NOT_OVER) {
            end = result == FANORONA_WHITE_WINS   ? "white wins"
                  : result == FANORONA_BLACK_WINS ? "black wins"
                                                  : "draw: no turn";
            break;
        }
        if (occurrences(positions, plies + 1, now) >= 3) {
            end = "draw: threefold repetition";
            break;
        }
        fanorona_limits limits = fanorona_limits_init();
        limits.milliseconds = 1000;
        fanorona_choice choice = fanorona_choice_init();
        check(fanorona_opponent_choose(players[now->to_move], now, positions, plies, &limits, stop,
                                       &choice, &error));
        if (fanorona_stop_is_set(stop)) {
            end = "interrupted";
            break;
        }
        char text[FANORONA_TURN_TEXT];
        check(fanorona_turn_text(game, now, &choice.turn, text, sizeof text, NULL, &error));
        printf("%s\n", text);
        positions[plies + 1] = fanorona_after(now, &choice.turn);
        plies++;
    }
    printf("%s\n", end);

    fanorona_opponent_free(players[0]);
    fanorona_opponent_free(players[1]);
    fanorona_stop_free(stop);
    fanorona_game_free(game);
    return 0;
}
