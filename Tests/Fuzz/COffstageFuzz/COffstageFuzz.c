// SPDX-License-Identifier: Apache-2.0
#include "COffstageFuzz.h"

#include <stdbool.h>
#include <string.h>

// The program has 185,000 counters, one for each branch, of which an input reaches some hundreds. libFuzzer clears and
// reads all that it knows of around each execution, which took more time than most of the targets. So it is told of
// counters only once one of them, or of those beside it, has counted: what it finds is the same.

/// How many counters libFuzzer is told of at once. No page's end is within them.
enum { chunk = 512, most = 2048 };

struct place {
    uintptr_t address;
    uintptr_t flags;
};

static uint8_t *counters, *counters_end;
static const struct place *places, *places_end;
static bool is_known[most];

// The linker has the modules call the first ones, and these the second ones, which are libFuzzer's (`--wrap`).
void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end);
void __wrap___sanitizer_cov_pcs_init(const struct place *start, const struct place *end);
void __real___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end);
void __real___sanitizer_cov_pcs_init(const struct place *start, const struct place *end);

// Each module names the same counters and places: those of all.
void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end) {
    counters = start;
    counters_end = end;
}

void __wrap___sanitizer_cov_pcs_init(const struct place *start, const struct place *end) {
    places = start;
    places_end = end;
}

static bool has_counted(const uint8_t *start, const uint8_t *end) {
    uint8_t any = 0;
    for (const uint8_t *counter = start; counter < end; counter++) any |= *counter;
    return any != 0;
}

bool offstage_fuzz_forget_counts(void) {
    if (counters_end - counters != places_end - places) return false;
    if ((size_t)(counters_end - counters) / chunk + 2 > most) return false;
    memset(counters, 0, (size_t)(counters_end - counters));
    return true;
}

void offstage_fuzz_tell_counters(void) {
    uint8_t *end;
    size_t number = 0;
    for (uint8_t *start = counters; start < counters_end; start = end, number++) {
        end = (uint8_t *)(((uintptr_t)start / chunk + 1) * chunk);
        if (end > counters_end) end = counters_end;
        if (is_known[number] || !has_counted(start, end)) continue;
        is_known[number] = true;
        __real___sanitizer_cov_8bit_counters_init(start, end);
        __real___sanitizer_cov_pcs_init(places + (start - counters), places + (end - counters));
    }
}
