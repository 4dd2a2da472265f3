/* The header alone, as C99: everything that it defines can be used, and has the promised layout. */
#include "fanorona.h"
#include "fanorona.h"

#include <stdio.h>

/* A size that is wrong is an array of a negative length. */
#define ASSERT(name, condition) typedef char assert_##name[(condition) ? 1 : -1]
ASSERT(position, sizeof(fanorona_position) == 24);
ASSERT(step, sizeof(fanorona_step) == 4);
ASSERT(turn, sizeof(fanorona_turn) == 136);
ASSERT(ranked, sizeof(fanorona_ranked_turn) == 136 + 24 + 32);
ASSERT(assessment, sizeof(fanorona_assessment) == 32);
ASSERT(value, sizeof(fanorona_table_value) == 8);
ASSERT(steps, offsetof(fanorona_turn, steps) == 12);

int main(void) {
    const fanorona_tables_options tables = fanorona_tables_options_init();
    const fanorona_analyze_options analyze = fanorona_analyze_options_init();
    const fanorona_analysis analysis = fanorona_analysis_init();
    const fanorona_book_answer answer = fanorona_book_answer_init();
    const fanorona_opponent_options opponent = fanorona_opponent_options_init();
    const fanorona_limits limits = fanorona_limits_init();
    const fanorona_choice choice = fanorona_choice_init();
    const fanorona_record record = fanorona_record_init();
    const size_t sizes = tables.struct_size + analyze.struct_size + analysis.struct_size +
                         answer.struct_size + opponent.struct_size + limits.struct_size +
                         choice.struct_size + record.struct_size;
    if (sizes == 0 || fanorona_version() != FANORONA_VERSION) {
        fprintf(stderr, "the header is of version %d, the library of %u\n", FANORONA_VERSION,
                (unsigned)fanorona_version());
        return 1;
    }
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FANORONA_VERSION_MAJOR, FANORONA_VERSION_MINOR,
             FANORONA_VERSION_PATCH);
    if (strcmp(text, fanorona_version_text()) != 0) {
        fprintf(stderr, "the header is of version %s, the library of %s\n", text,
                fanorona_version_text());
        return 1;
    }
    puts(text);
    return 0;
}
