// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageUIKit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int signal;
    pid_t sender;
} notice;

static int ends[2] = {-1, -1};

// Shorter than PIPE_BUF: written whole or, when the pipe is full of unread signals, not at all.
static void write_notice(int signal, pid_t sender) {
    notice n = {signal, sender};
    ssize_t written = write(ends[1], &n, sizeof n);
    (void)written;
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    write_notice(signal, info->si_code <= 0 ? info->si_pid : 0);
    errno = saved;
}

int offstage_signal_pipe(void) {
    if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
    return ends[0];
}

// The kernel has the call begin again after this, and sends the signal again while its reason lasts. Short: the kernel
// may pick another thread than the one that reads.
static void wait_a_little(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    int saved = errno;
    struct timespec pause = {0, 50 * 1000 * 1000};
    nanosleep(&pause, NULL);
    errno = saved;
}

static int is_default(int signal) {
    struct sigaction old;
    if (sigaction(signal, NULL, &old) < 0) return 0;
    return !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
}

static int set_handler(int signal, void (*handler)(int, siginfo_t *, void *)) {
    if (!is_default(signal)) return 0;
    struct sigaction new;
    memset(&new, 0, sizeof new);
    new.sa_sigaction = handler;
    new.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&new.sa_mask);
    return sigaction(signal, &new, NULL) == 0;
}

int offstage_watch_signal(int signal) { return set_handler(signal, handle); }

void offstage_wait_at_signal(int signal) { set_handler(signal, wait_a_little); }

void offstage_ignore_signal(int signal) {
    if (!is_default(signal)) return;
    struct sigaction new;
    memset(&new, 0, sizeof new);
    new.sa_handler = SIG_IGN;
    sigemptyset(&new.sa_mask);
    sigaction(signal, &new, NULL);
}

void offstage_unwatch_signal(int signal) {
    struct sigaction old;
    // A handler that the app has put in the place of ours stays.
    if (sigaction(signal, NULL, &old) < 0 || !(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != handle) return;
    struct sigaction new;
    memset(&new, 0, sizeof new);
    new.sa_handler = SIG_DFL;
    sigemptyset(&new.sa_mask);
    sigaction(signal, &new, NULL);
}

void offstage_signal_wake(void) {
    if (ends[1] >= 0) write_notice(0, 0);
}

int offstage_signal_read(int fd, pid_t *sender) {
    notice n;
    ssize_t count;
    do count = read(fd, &n, sizeof n);
    while (count < 0 && errno == EINTR);
    if (count != sizeof n) return -1;
    *sender = n.sender;
    return n.signal;
}
