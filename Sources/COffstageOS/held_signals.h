// SPDX-License-Identifier: Apache-2.0
// Signals that a write could cause are not to reach the app. What was there before is somebody's own, and stays.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

struct held_signals {
    sigset_t former, pending;
};

static inline struct held_signals hold_signals(void) {
    struct held_signals held;
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGPIPE);
    sigaddset(&all, SIGXFSZ);
    sigaddset(&all, SIGTTOU);
    sigemptyset(&held.pending);
    sigpending(&held.pending);
    pthread_sigmask(SIG_BLOCK, &all, &held.former);
    return held;
}

/// Takes back the signal that a write has caused, by the error that it ended with.
static inline void release_signals(const struct held_signals *held, int error) {
    const int caused = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    if (caused != 0 && !sigismember(&held->pending, caused)) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, caused);
        const struct timespec none = {0, 0};
        while (sigtimedwait(&one, NULL, &none) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &held->former, NULL);
}
