// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char last_line[512];
static size_t last_length;
static int last_status;

// Only what a signal handler may call: whatever holds the process up may hold any lock.
static void end_now(int signal) {
    (void)signal;
    ssize_t written = write(2, last_line, last_length);
    (void)written;
    _exit(last_status);
}

int offstage_end_after(double seconds, int status, const char *line) {
    if (!isfinite(seconds) || seconds <= 0 || seconds > 86400) return -1;
    last_length = strnlen(line, sizeof last_line);
    memcpy(last_line, line, last_length);
    last_status = status;
    struct sigaction action = {.sa_handler = end_now};
    sigfillset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) != 0) return -1;
    double whole = floor(seconds);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)((seconds - whole) * 1e6) + (whole < 1 ? 1 : 0)}};
    if (timer.it_value.tv_usec > 999999) timer.it_value.tv_usec = 999999;
    return setitimer(ITIMER_REAL, &timer, NULL);
}

int offstage_join_within(pthread_t thread, int milliseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (milliseconds < 0) milliseconds = 0;
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (milliseconds % 1000) * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec += 1;
        end.tv_nsec -= 1000000000L;
    }
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end);
}
