// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

int offstage_spawn_daemon(const char *path, char *const argv[], char *const envp[], int log_fd, int ready_fd,
                          pid_t *pid) {
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
        error = posix_spawn(pid, path, &actions, &attributes, argv, envp);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
