// The header alone, as C++: its functions have C linkage, and its structs can be used.
#include "fanorona.h"
#include "fanorona.h"

#include <cstdio>
#include <memory>
#include <type_traits>

static_assert(std::is_trivially_copyable<fanorona_turn>::value, "turns are plain");
static_assert(sizeof(fanorona_turn) == 136, "the layout is a promise");

namespace {
struct Free {
    void operator()(fanorona_game *game) const { fanorona_game_free(game); }
};
}  // namespace

int main() {
    fanorona_game *made = nullptr;
    if (fanorona_game_new("9x5", "standard", &made, nullptr) != FANORONA_OK) return 1;
    const std::unique_ptr<fanorona_game, Free> game(made);
    fanorona_position start{};
    if (fanorona_start(game.get(), &start, nullptr) != FANORONA_OK) return 1;
    fanorona_turn turns[8];
    std::size_t count = 0;
    if (fanorona_turns(game.get(), &start, turns, 8, &count, nullptr) != FANORONA_OK) return 1;
    const fanorona_position after = fanorona_after(&start, &turns[0]);
    std::printf("%zu turns\n", count);
    const fanorona_choice choice = fanorona_choice_init();
    return count == 5 && after.to_move == FANORONA_BLACK && choice.struct_size == sizeof choice ? 0 : 1;
}
