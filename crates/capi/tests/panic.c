/* A panic inside the library stops at its boundary. Linked with a library that has a function which
 * panics; the header does not have it. */
#include "check.h"

fanorona_status fanorona_test_panic(const fanorona_opponent *opponent, fanorona_error *error);

int main(void) {
    fanorona_game *game = new_game("5x5", "standard");
    fanorona_opponent_options options = fanorona_opponent_options_init();
    options.memory = 1 << 16;
    fanorona_opponent *opponent = NULL;
    OK(fanorona_opponent_new(game, NULL, NULL, &options, &opponent, &error));
    for (int i = 0; i < 3; i++) {
        /* The panic happens while the opponent is locked. It can be used afterwards all the same. */
        EXPECT(FANORONA_PANIC, fanorona_test_panic(opponent, &error));
        CHECK(strcmp(message, "internal error: this panic is a test") == 0);
        CHECK(fanorona_test_panic(opponent, NULL) == FANORONA_PANIC);
        fanorona_position start;
        OK(fanorona_start(game, &start, &error));
        fanorona_limits limits = fanorona_limits_init();
        limits.depth = 2;
        fanorona_choice choice = fanorona_choice_init();
        OK(fanorona_opponent_choose(opponent, &start, NULL, 0, &limits, NULL, &choice, &error));
        CHECK(choice.turn.num_steps > 0);
    }
    fanorona_opponent_free(opponent);
    fanorona_game_free(game);
    puts("panics stop");
    return 0;
}
