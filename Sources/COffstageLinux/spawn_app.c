// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A copy of this process, as posix_spawn makes none: with clone3 it is born in the cgroup, and never runs outside it.
static pid_t clone_into(int cgroup) {
    if (cgroup < 0) return (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, 0UL, 0UL, 0UL, 0UL);
    struct clone_args arguments = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)cgroup};
    return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

// In the child: this process has threads, whose locks are held for ever here. Nothing but system calls.
static void become(int program_folder, const char *program, char *const argv[], char *const envp[], const char *directory, int log,
                   int report) {
    // Told through a pipe that the executable closes by beginning.
    offstage_spawn_failure failure = {.step = offstage_spawn_process};
    sigset_t none;
    // The daemon ignores SIGPIPE, and an executable inherits what is ignored.
    // By the kernel's own call: the C library keeps two numbers to itself.
    const struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } standard = {.handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        syscall(SYS_rt_sigaction, number, &standard, NULL, sizeof standard.mask);
    }
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
            offstage_allow_core_dumps();
            // By its name in a folder that is held, rather than by a descriptor of its own: the kernel takes the
            // process's name from it. A link in its place is not followed.
            syscall(SYS_execveat, program_folder, program, argv, envp, AT_SYMLINK_NOFOLLOW);
        }
        failure.error = errno;
    }
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

pid_t offstage_spawn_app(int program_folder, const char *program, char *const argv[], char *const envp[],
                         const char *directory, int log_fd, int cgroup_fd, int limit,
                         offstage_spawn_failure *failure) {
    int ends[2];
    *failure = (offstage_spawn_failure){.step = offstage_spawn_process};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        failure->error = errno;
        return -1;
    }
    // A handler of this process must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t process = clone_into(cgroup_fd);
    if (process == 0) become(program_folder, program, argv, envp, directory, log_fd, ends[1]);
    if (process < 0) {
        failure->error = errno;
        if (cgroup_fd >= 0) failure->step = offstage_spawn_group;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    ssize_t count = 0;
    struct pollfd told = {.fd = ends[0], .events = POLLIN};
    int seen = 1;
    if (process > 0) {
        do seen = poll(&told, 1, limit);
        while (seen < 0 && errno == EINTR);
    }
    if (seen == 0) {
        // It hangs on a folder or a file that does not answer, and must not begin when nobody expects it any more.
        kill(process, SIGKILL);
        close(ends[0]);
        // Not waited for, since that may hang as well.
        *failure = (offstage_spawn_failure){.step = offstage_spawn_late, .error = ETIMEDOUT};
        return -1;
    }
    if (process > 0) {
        do count = read(ends[0], failure, sizeof *failure);
        while (count < 0 && errno == EINTR);
    }
    close(ends[0]);
    if (count <= 0) return process;
    // Whoever else waits for every child may have been first.
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
    return -1;
}
