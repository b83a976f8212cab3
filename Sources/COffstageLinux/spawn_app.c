// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// What the child says of its failure, through a pipe that its executable closes by beginning.
struct failure {
    int step;
    int error;
};

// A copy of this process, as posix_spawn makes none: with clone3 it is born in the cgroup, and never runs outside it.
static pid_t clone_into(int cgroup) {
    if (cgroup < 0) return (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, 0UL, 0UL, 0UL, 0UL);
    struct clone_args arguments = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)cgroup};
    return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

// In the child: this process has threads, whose locks are held for ever here. Nothing but system calls.
static void become(const char *path, char *const argv[], char *const envp[], const char *directory, int log,
                   int report) {
    struct failure failure = {.step = offstage_spawn_process};
    sigset_t none;
    // The daemon ignores SIGPIPE, and an executable inherits what is ignored.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigemptyset(&none);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (setsid() < 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0 || input < 0 || dup2(input, 0) < 0
        || dup2(log, 1) < 0 || dup2(log, 2) < 0) {
        failure.error = errno;
    } else {
        syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
        failure.step = offstage_spawn_directory;
        if (chdir(directory) == 0) {
            failure.step = offstage_spawn_program;
            execve(path, argv, envp);
        }
        failure.error = errno;
    }
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

pid_t offstage_spawn_app(const char *path, char *const argv[], char *const envp[], const char *directory, int log_fd,
                         int cgroup_fd, int *step) {
    int ends[2];
    *step = offstage_spawn_process;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    // A handler of this process must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t process = clone_into(cgroup_fd);
    if (process == 0) become(path, argv, envp, directory, log_fd, ends[1]);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        *step = cgroup_fd >= 0 ? offstage_spawn_group : offstage_spawn_process;
        errno = error;
        return -1;
    }
    struct failure failure;
    ssize_t count;
    do count = read(ends[0], &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    close(ends[0]);
    if (count != (ssize_t)sizeof failure) return process;
    // Whoever else waits for every child may have been first.
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
    *step = failure.step;
    errno = failure.error;
    return -1;
}
