// SPDX-License-Identifier: Apache-2.0
// The few lines that Swift cannot write: a descriptor in a message, a write that neither waits nor ends the process, and
// printf for one number. All leave errno as it was.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A socket for datagrams, closed in programs that the app starts and never waited for. Returns it, or -1.
int offstage_os_socket(void);

/// Sends one entry to the journal's socket at a path, without waiting; in a sealed memory file where it is too large for a
/// datagram. Returns 0, or an error number.
int offstage_os_send(int socket, const char *path, const void *bytes, size_t length);

/// Writes to a file, a terminal, a pipe or a socket what it takes at once. No reader is no signal, and a terminal of other
/// programs does not stop this one. Returns how many bytes were written, or an error number, negated, when none was.
ptrdiff_t offstage_os_write(int descriptor, const void *bytes, size_t length);

/// One number as printf's `f`, `e`, `g` or `a` has it, or their capitals, with a point whatever the locale. `flags` are at
/// most five of "-+ #0"; `width` and `precision` are at most 1000, and a precision below zero means none. Returns the length,
/// or -1 when it does not fit.
int offstage_os_format(
    char *into, size_t capacity, const char *flags, int width, int precision, char conversion, double number);

/// The name of the program, without folders.
const char *offstage_os_program_name(void);
