// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Spawns from a child that ends at once: the daemon is then nobody's child here, and leaves no zombie to a program that
// knows nothing of it. The child is made without a signal for its end, so that the program's own handling of children
// neither hears of it nor takes its status. It calls nothing but posix_spawn, which needs no lock of this process.
static int spawn_orphan(const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    pid_t helper = (pid_t)syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL);
    if (helper < 0) return errno;
    if (helper == 0) {
        pid_t daemon;
        _exit(posix_spawn(&daemon, path, actions, attributes, argv, envp));
    }
    int status = 0;
    while (waitpid(helper, &status, __WCLONE) < 0) {
        // Somebody has waited for every child there is: whether the daemon began, its readiness will tell.
        if (errno != EINTR) return 0;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

int offstage_spawn_daemon(const char *path, char *const argv[], char *const envp[], int log_fd, int ready_fd) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    // A signal that this process ignores or blocks would otherwise stay so in the daemon.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if ((error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, log_fd, 1)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, log_fd, 2)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, ready_fd, 3)) == 0
        && (error = posix_spawn_file_actions_addclosefrom_np(&actions, 3 + 1)) == 0
        && (error = posix_spawn_file_actions_addchdir_np(&actions, "/")) == 0) {
        error = spawn_orphan(path, &actions, &attributes, argv, envp);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
