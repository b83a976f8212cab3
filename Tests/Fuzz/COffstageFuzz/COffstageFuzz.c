// SPDX-License-Identifier: Apache-2.0
#include "COffstageFuzz.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The program has 260,000 counters, one for each branch, of which an input reaches some hundreds. libFuzzer clears and
// reads all that it knows of around each execution, which took more time than most of the targets. So it is told of
// counters only once one of them, or of those beside it, has counted. To look through all of them after each execution
// would take a quarter of the time of a fast target, so pages in which nothing has counted yet are not writable: the
// first count in one of them is a fault, and only pages that had one are looked through, and of those only what libFuzzer
// does not know. What is found is the same.

/// How many counters libFuzzer is told of at once. No page's end is within them.
enum { chunk = 64, most_chunks = 16384, most_pages = 256 };
/// libFuzzer ends at 4,096 groups of counters. The inputs of one target have reached some hundreds.
enum { most_known = 4000 };

struct place {
    uintptr_t address;
    uintptr_t flags;
};

static uint8_t *counters, *counters_end;
static const struct place *places, *places_end;
static bool is_known[most_chunks];
static size_t known_count;

/// What may count without a fault and is not known to libFuzzer: looked through after each execution.
static struct { uint8_t *start, *end; } spans[most_chunks];
static size_t span_count;
/// Whether `spans` is out of date, because a page or a chunk has counted for the first time.
static volatile bool is_changed = true;

/// Where pages that may be protected begin: whole ones, of counters alone.
static uint8_t *pages;
static size_t page_size, page_count;
static volatile bool is_writable[most_pages];
static struct sigaction libfuzzers_action;

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

/// A fault: the first count in a page, or a crash of the target.
static void allow_count(int signal, siginfo_t *information, void *context) {
    uintptr_t address = (uintptr_t)information->si_addr;
    uintptr_t first = (uintptr_t)pages;
    if (address >= first && address < first + page_count * page_size) {
        size_t page = (address - first) / page_size;
        if (!is_writable[page] && mprotect(pages + page * page_size, page_size, PROT_READ | PROT_WRITE) == 0) {
            is_writable[page] = true;
            is_changed = true;
            return;
        }
    }
    // A crash of the target: libFuzzer writes the input down.
    if (libfuzzers_action.sa_flags & SA_SIGINFO) {
        libfuzzers_action.sa_sigaction(signal, information, context);
    } else {
        sigaction(SIGSEGV, &libfuzzers_action, NULL);
    }
}

/// Makes pages unwritable until something counts in them. Called after libFuzzer has set its own action for a crash, which
/// would otherwise replace this one.
static void watch_pages(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    pages = (uint8_t *)(((uintptr_t)counters + page_size - 1) / page_size * page_size);
    page_count = pages < counters_end ? (size_t)(counters_end - pages) / page_size : 0;
    if (page_count > most_pages) page_count = most_pages;
    struct sigaction action = {.sa_sigaction = allow_count, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSEGV, &action, &libfuzzers_action) != 0) page_count = 0;
    for (size_t page = 0; page < page_count; page++) {
        is_writable[page] = mprotect(pages + page * page_size, page_size, PROT_READ) != 0;
    }
}

/// The end of the page, if none of its counters has counted yet; NULL if one may have.
static uint8_t *end_of_untouched(uint8_t *start) {
    if (start < pages || start >= pages + page_count * page_size) return NULL;
    size_t page = (size_t)(start - pages) / page_size;
    return is_writable[page] ? NULL : pages + (page + 1) * page_size;
}

#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
static bool has_counted(const uint8_t *start, const uint8_t *end) {
    uint8_t any = 0;
    for (const uint8_t *counter = start; counter < end; counter++) any |= *counter;
    return any != 0;
}

bool offstage_fuzz_forget_counts(void) {
    if (counters_end - counters != places_end - places) return false;
    if ((size_t)(counters_end - counters) / chunk + 2 > most_chunks) return false;
    memset(counters, 0, (size_t)(counters_end - counters));
    return true;
}

static size_t number_of(const uint8_t *counter) {
    return (uintptr_t)counter / chunk - (uintptr_t)counters / chunk;
}

static uint8_t *end_of_chunk(uint8_t *start) {
    uint8_t *end = (uint8_t *)(((uintptr_t)start / chunk + 1) * chunk);
    return end < counters_end ? end : counters_end;
}

static void find_spans(void) {
    is_changed = false;
    span_count = 0;
    uint8_t *next;
    for (uint8_t *start = counters; start < counters_end; start = next) {
        next = end_of_untouched(start);
        if (next) continue;
        next = end_of_chunk(start);
        if (is_known[number_of(start)]) continue;
        if (span_count > 0 && spans[span_count - 1].end == start) {
            spans[span_count - 1].end = next;
        } else {
            spans[span_count].start = start;
            spans[span_count].end = next;
            span_count += 1;
        }
    }
}

static void tell_of(uint8_t *start, uint8_t *end) {
    uint8_t *next;
    for (; start < end; start = next) {
        next = end_of_chunk(start);
        if (known_count == most_known || !has_counted(start, next)) continue;
        known_count += 1;
        is_known[number_of(start)] = true;
        is_changed = true;
        __real___sanitizer_cov_8bit_counters_init(start, next);
        __real___sanitizer_cov_pcs_init(places + (start - counters), places + (next - counters));
    }
}

void offstage_fuzz_tell_counters(void) {
    static bool is_watched;
    if (is_changed) find_spans();
    for (size_t span = 0; span < span_count; span++) {
        if (has_counted(spans[span].start, spans[span].end)) tell_of(spans[span].start, spans[span].end);
    }
    if (is_watched) return;
    is_watched = true;
    watch_pages();
    is_changed = true;
}
