// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageTestSupport.h"
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int offstage_test_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int offstage_test_pidfd_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int offstage_test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int offstage_test_join_network(int fd) { return setns(fd, CLONE_NEWNET); }

int offstage_test_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
    return posix_spawn_file_actions_addchdir_np(actions, directory);
}

long offstage_test_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return (long)limit.rlim_cur;
}

int offstage_test_open_terminal(char *path, size_t capacity) {
    int window = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (window < 0 || (grantpt(window) == 0 && unlockpt(window) == 0 && ptsname_r(window, path, capacity) == 0)) {
        return window;
    }
    close(window);
    return -1;
}

int offstage_test_take_descriptor(int pidfd, int descriptor) {
    return (int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0);
}

void offstage_test_reset_heap(void) { mallopt(M_MMAP_THRESHOLD, 128 << 10); }
