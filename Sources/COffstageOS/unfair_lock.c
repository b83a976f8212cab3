// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "os_unfair_lock.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The word is 0 when the lock is free, else the number of the thread that holds it, with this bit when others may wait.
// Linux gives threads numbers below 2^22.
static const uint32_t waiting = 0x80000000u;

static __thread uint32_t thread_number;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The one thread of a forked child has a number of its own.
static void forget_number(void) { thread_number = 0; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_number); }

static uint32_t this_thread(void) {
    if (thread_number == 0) {
        pthread_once(&once, watch_forks);
        thread_number = (uint32_t)syscall(SYS_gettid);
    }
    return thread_number;
}

// Ends the process as a trap does: going on would be two threads in one critical section, or a wait without an end.
static _Noreturn void end(const char *sentence) {
    ssize_t ignored = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)ignored;
    abort();
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    const uint32_t me = this_thread();
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(word, &seen, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    const int before = errno;
    for (;;) {
        if (seen == 0) {
            // Others may wait beside this thread: whoever has waited says so for them.
            if (__atomic_compare_exchange_n(word, &seen, me | waiting, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) break;
            continue;
        }
        if ((seen & ~waiting) == me) end("os_unfair_lock: a thread locks a lock that it holds.\n");
        const uint32_t marked = seen | waiting;
        if (seen == marked ||
            __atomic_compare_exchange_n(word, &seen, marked, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, marked, NULL, NULL, 0);
            seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        }
    }
    errno = before;
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t seen = 0;
    return __atomic_compare_exchange_n(
        &lock->_os_unfair_lock_opaque, &seen, this_thread(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    // Looked at first: a lock of another thread is not opened even for a moment.
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & ~waiting) != this_thread())
        end("os_unfair_lock: a thread unlocks a lock that it does not hold.\n");
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & waiting) {
        const int before = errno;
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        errno = before;
    }
}

static bool is_owner(const os_unfair_lock *lock) {
    return (__atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) & ~waiting) == this_thread();
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (!is_owner(lock)) end("os_unfair_lock: a thread is expected to hold a lock, and does not.\n");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (is_owner(lock)) end("os_unfair_lock: a thread is expected not to hold a lock, and does.\n");
}
