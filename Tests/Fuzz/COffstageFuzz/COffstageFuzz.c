// SPDX-License-Identifier: Apache-2.0
#include "COffstageFuzz.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The program has 185,000 counters, one for each branch, of which an input reaches some hundreds. libFuzzer clears and
// reads all that it knows of around each execution, which took more time than most of the targets. So it is told of
// counters only once one of them, or of those beside it, has counted. To look through all of them after each execution
// would take a quarter of the time of a fast target, so pages in which nothing has counted yet are not writable: the
// first count in one of them is a fault, and only pages that had one are looked through. What is found is the same.

/// How many counters libFuzzer is told of at once. No page's end is within them.
enum { chunk = 128, most_chunks = 3800, most_pages = 256 };

struct place {
    uintptr_t address;
    uintptr_t flags;
};

static uint8_t *counters, *counters_end;
static const struct place *places, *places_end;
static bool is_known[most_chunks];

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

static void tell_of(uint8_t *start, uint8_t *end) {
    size_t number = (uintptr_t)start / chunk - (uintptr_t)counters / chunk;
    if (is_known[number] || !has_counted(start, end)) return;
    is_known[number] = true;
    __real___sanitizer_cov_8bit_counters_init(start, end);
    __real___sanitizer_cov_pcs_init(places + (start - counters), places + (end - counters));
}

void offstage_fuzz_tell_counters(void) {
    static bool is_watched;
    uint8_t *end;
    for (uint8_t *start = counters; start < counters_end; start = end) {
        end = is_watched ? end_of_untouched(start) : NULL;
        if (end) continue;
        end = (uint8_t *)(((uintptr_t)start / chunk + 1) * chunk);
        if (end > counters_end) end = counters_end;
        tell_of(start, end);
    }
    if (is_watched) return;
    is_watched = true;
    watch_pages();
}
