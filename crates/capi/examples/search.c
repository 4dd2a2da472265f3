/* How the search of an engine uses the tables: ranked turns at the root, win, draw or loss inside.
 *
 *     search TABLES BOARD RULES POSITION DEPTH
 *
 * This is a small alpha-beta search without a transposition table. docs/ENGINE_AUTHORS.md explains
 * it. An engine has a generator of its own; here fanorona_turns lists the turns. */
#include <stdio.h>
#include <stdlib.h>

#include <fanorona.h>

static char message[256];
static fanorona_error error = {message, sizeof message, 0};

static void check(fanorona_status status) {
    if (status != FANORONA_OK) {
        fprintf(stderr, "search: %s: %s\n", fanorona_status_text(status), message);
        exit(2);
    }
}

/* Scores. A win in n plies is MATE - n. A win that a table without distances holds is TABLE_WIN
 * minus the plies from the root: it is worth less than a mate that the search sees, and more than
 * any evaluation. */
enum { MATE = 32000, TABLE_WIN = 24000, MAX_EVALUATION = 15000, INFINITE = 32500, MAX_PLY = 64 };

typedef struct search {
    const fanorona_game *game;
    const fanorona_tables *tables;
    unsigned table_stones; /* the tables have every position with up to this number of stones */
    unsigned root_stones;
    unsigned long nodes, probes;
    fanorona_position line[MAX_PLY + 1]; /* the positions from the root to here */
} search;

static unsigned count_stones(const fanorona_position *position) {
    unsigned count = 0;
    for (uint64_t left = position->white | position->black; left != 0; left &= left - 1) {
        count++;
    }
    return count;
}

static void sides(const fanorona_position *position, uint64_t *own, uint64_t *opponent) {
    const int white = position->to_move == FANORONA_WHITE;
    *own = white ? position->white : position->black;
    *opponent = white ? position->black : position->white;
}

/* An evaluation: the difference of stones. Use your own. */
static int evaluate(const fanorona_position *position) {
    int score = 0;
    uint64_t own, opponent;
    sides(position, &own, &opponent);
    for (; own != 0; own &= own - 1) score += 100;
    for (; opponent != 0; opponent &= opponent - 1) score -= 100;
    return score;
}

/* [score] */
/* The value of a table as a score, `ply` turns from the root. */
static int score_of_table(fanorona_value value, int ply) {
    switch (value) {
        case FANORONA_WIN: return TABLE_WIN - ply;
        case FANORONA_LOSS: return -TABLE_WIN + ply;
        default: return 0;
    }
}
/* [/score] */

/* [leaf] */
/* Probes a position of the search. Returns 1 with its score if the tables decide it. A position
 * with as many stones as the root is not asked: if the root is in the tables, its value is known
 * already, and the search has to find out how to make progress. */
static int probe_leaf(search *s, const fanorona_position *position, int ply, int *score) {
    const unsigned stones = count_stones(position);
    if (stones > s->table_stones || stones >= s->root_stones) {
        return 0;
    }
    uint64_t own, opponent;
    fanorona_value value;
    sides(position, &own, &opponent);
    if (own == 0 || opponent == 0) {
        return 0; /* the game is over: a mate, not a win in a table */
    }
    s->probes++;
    const fanorona_status status = fanorona_wdl(s->tables, own, opponent, &value, NULL);
    if (status == FANORONA_NO_TABLE) {
        return 0; /* search on */
    }
    check(status);
    *score = score_of_table(value, ply);
    return 1;
}
/* [/leaf] */

static int is_repeated(const search *s, int ply) {
    const fanorona_position *now = &s->line[ply];
    for (int i = ply - 2; i >= 0; i -= 2) {
        if (s->line[i].white == now->white && s->line[i].black == now->black) {
            return 1;
        }
    }
    return 0;
}

static int alpha_beta(search *s, int depth, int ply, int alpha, int beta) {
    const fanorona_position *position = &s->line[ply];
    int score;
    s->nodes++;
    if (is_repeated(s, ply)) {
        return 0;
    }
    if (probe_leaf(s, position, ply, &score)) {
        return score;
    }
    /* An engine that is not patient takes a list as long as it can use. */
    fanorona_turn turns[256];
    size_t count;
    const fanorona_status status = fanorona_turns(s->game, position, turns, 256, &count, &error);
    if (status != FANORONA_OK && status != FANORONA_CAPACITY) {
        check(status);
    }
    if (count == 0) {
        return -(MATE - ply); /* blocked or without stones: lost under the standard rules */
    }
    /* Do not stop at positions with captures: there the evaluation is worth little. */
    if ((depth <= 0 && turns[0].captured == 0) || ply == MAX_PLY) {
        return evaluate(position);
    }
    const size_t listed = count < 256 ? count : 256;
    for (size_t i = 0; i < listed; i++) {
        s->line[ply + 1] = fanorona_after(position, &turns[i]);
        score = -alpha_beta(s, depth - 1, ply + 1, -beta, -alpha);
        if (score >= beta) {
            return score;
        }
        if (score > alpha) {
            alpha = score;
        }
    }
    return alpha;
}

/* [root] */
/* The turns to search at the root. If the tables hold the position, only those with the best value
 * are left, and with distances only the best one: then nothing is left to search. Returns their
 * number. */
static size_t root_turns(search *s, const fanorona_position *position, fanorona_turn *turns,
                         size_t capacity, int *is_decided) {
    fanorona_ranked_turn ranked[256];
    size_t count;
    *is_decided = 0;
    if (count_stones(position) <= s->table_stones) {
        const fanorona_status status = fanorona_rank(s->tables, position, ranked, 256, &count, NULL);
        if (status == FANORONA_OK && count > 0) {
            const fanorona_assessment best = ranked[0].assessment;
            size_t kept = 0;
            while (kept < count && kept < capacity &&
                   ranked[kept].assessment.value == best.value) {
                turns[kept] = ranked[kept].turn;
                kept++;
            }
            *is_decided = best.dtw >= 0;
            return best.dtw >= 0 ? 1 : kept;
        }
    }
    const fanorona_status status =
        fanorona_turns(s->game, position, turns, capacity, &count, &error);
    if (status != FANORONA_OK && status != FANORONA_CAPACITY) {
        check(status);
    }
    return count < capacity ? count : capacity;
}
/* [/root] */

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: search TABLES BOARD RULES POSITION DEPTH\n");
        return 2;
    }
    static search s;
    fanorona_game *game;
    fanorona_tables *tables;
    check(fanorona_game_new(argv[2], argv[3], &game, &error));

    /* [open] */
    /* Once, when the program starts: open all tables, and see how far they go. */
    fanorona_tables_options options = fanorona_tables_options_init();
    options.flags = FANORONA_TABLES_MAP;
    uint32_t complete;
    check(fanorona_tables_open(game, argv[1], &options, &tables, &error));
    check(fanorona_tables_prepare(tables, 8, &complete, &error));
    s.game = game;
    s.tables = tables;
    s.table_stones = complete;
    /* [/open] */

    check(fanorona_position_read(game, argv[4], &s.line[0], &error));
    const int depth = atoi(argv[5]);
    s.root_stones = count_stones(&s.line[0]);

    fanorona_turn turns[256];
    int is_decided;
    const size_t count = root_turns(&s, &s.line[0], turns, 256, &is_decided);
    if (count == 0) {
        puts("the game is over");
    }
    size_t best = 0;
    int alpha = -INFINITE;
    for (size_t i = 0; i < count && !is_decided; i++) {
        s.line[1] = fanorona_after(&s.line[0], &turns[i]);
        const int score = -alpha_beta(&s, depth - 1, 1, -INFINITE, -alpha);
        if (score > alpha) {
            alpha = score;
            best = i;
        }
    }
    if (count > 0) {
        char text[FANORONA_TURN_TEXT];
        check(fanorona_turn_text(game, &s.line[0], &turns[best], text, sizeof text, NULL, &error));
        printf("best %s\n", text);
        if (is_decided) {
            puts("by the tables");
        } else {
            printf("score %d\nnodes %lu\nprobes %lu\n", alpha, s.nodes, s.probes);
        }
    }
    fanorona_tables_free(tables);
    fanorona_game_free(game);
    return 0;
}
