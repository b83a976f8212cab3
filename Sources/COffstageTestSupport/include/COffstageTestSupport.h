// SPDX-License-Identifier: Apache-2.0
// GNU extensions that the fixtures of the tests need and Swift's Glibc module does not show.
#pragma once
#include <spawn.h>
#include <sys/types.h>

/// A descriptor that becomes readable when the process ends. Returns -1 with errno.
int offstage_test_pidfd_open(pid_t pid);
/// Sends a signal to exactly that process, never to a later one of the same number.
int offstage_test_pidfd_signal(int pidfd, int signal);
/// A pipe whose ends no child inherits: ends[0] is read, ends[1] written.
int offstage_test_pipe(int ends[2]);
/// Moves the calling thread, and no other, into the network namespace of an open descriptor.
int offstage_test_join_network(int fd);
/// The child begins in this directory.
int offstage_test_spawn_in(posix_spawn_file_actions_t *actions, const char *directory);
/// Raises the limit of open files as far as it goes; returns the limit.
long offstage_test_raise_file_limit(void);
/// A terminal: its window's end, which no child inherits. Its device's path goes into `path`. Returns -1 with errno.
int offstage_test_open_terminal(char *path, size_t capacity);
/// Another process's descriptor, which is from then on open here, too. Returns -1 with errno.
int offstage_test_take_descriptor(int pidfd, int descriptor);
/// Has malloc map large blocks by themselves, as in a process that has just begun.
void offstage_test_reset_heap(void);
