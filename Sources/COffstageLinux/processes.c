// SPDX-License-Identifier: Apache-2.0
// Processes that are held by a pidfd, and their I/O priority.
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux 6.9; an older kernel says EINVAL.
#define SIGNAL_PROCESS_GROUP (1U << 2)

#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_WHO_PGRP 2

int offstage_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int offstage_pidfd_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int offstage_pidfd_signal_group(int pidfd, pid_t leader, int signal) {
    // kill(-1) would reach everybody.
    if (leader <= 1) {
        errno = EINVAL;
        return -1;
    }
    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, SIGNAL_PROCESS_GROUP) == 0) return 0;
    if (errno != EINVAL) return -1;
    // While the leader is there, if only as a zombie, nobody else's group can have its number.
    if (syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) != 0 && errno == ESRCH) return -1;
    return kill(-leader, signal);
}

int offstage_io_priority(pid_t thread) { return (int)syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, thread); }

int offstage_set_io_priority(pid_t who, int is_group, int priority) {
    return (int)syscall(SYS_ioprio_set, is_group ? IOPRIO_WHO_PGRP : IOPRIO_WHO_PROCESS, who, priority);
}

static struct rlimit core_limit;
static int is_core_limited;

void offstage_forbid_core_dumps(void) {
    if (is_core_limited || getrlimit(RLIMIT_CORE, &core_limit) != 0) return;
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = core_limit.rlim_max};
    is_core_limited = setrlimit(RLIMIT_CORE, &none) == 0;
}

void offstage_allow_core_dumps(void) {
    if (is_core_limited) setrlimit(RLIMIT_CORE, &core_limit);
}

void offstage_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
