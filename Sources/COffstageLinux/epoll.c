// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

const uint32_t offstage_epoll_in = EPOLLIN, offstage_epoll_out = EPOLLOUT, offstage_epoll_rdhup = EPOLLRDHUP,
               offstage_epoll_hup = EPOLLHUP, offstage_epoll_err = EPOLLERR, offstage_epoll_pri = EPOLLPRI;
const int offstage_epoll_add = EPOLL_CTL_ADD, offstage_epoll_mod = EPOLL_CTL_MOD, offstage_epoll_del = EPOLL_CTL_DEL;

int offstage_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int offstage_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, fd, &event);
}

int offstage_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int capacity, int timeout_ms) {
    struct epoll_event ready[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(epoll, ready, capacity, timeout_ms);
    for (int i = 0; i < count; i++) {
        tokens[i] = ready[i].data.u64;
        events[i] = ready[i].events;
    }
    return count;
}

int offstage_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int offstage_timerfd_create(int realtime) {
    return timerfd_create(realtime ? CLOCK_REALTIME : CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int offstage_timerfd_set(int fd, int realtime, int64_t seconds, int64_t nanoseconds) {
    struct itimerspec spec = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | (realtime ? TFD_TIMER_CANCEL_ON_SET : 0), &spec, NULL);
}

int offstage_signalfd_for_daemon(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int offstage_signalfd_for_sizes(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int offstage_signalfd_read(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}
