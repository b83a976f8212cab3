// SPDX-License-Identifier: Apache-2.0
// The few lines that Swift cannot write: signal handlers, who has called, and initializers of classes met at run time.
#pragma once
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

/// Makes the pipe into which `offstage_watch_signal`'s handler writes; returns its reading end, or -1 with errno.
/// The handler is reset in programs that the app starts, which a blocked signal would not be.
int offstage_signal_pipe(void);

/// Has a signal written into the pipe from now on, unless it is ignored or handled already. Returns whether it is.
int offstage_watch_signal(int signal);

/// Has every thread that gets a signal, and does again what it gets it for, wait: for SIGTTIN until the terminal may be
/// read. Nothing if the signal is ignored or handled already.
void offstage_wait_at_signal(int signal);

/// Ignores a signal, unless it is handled already.
void offstage_ignore_signal(int signal);

/// Gives a signal its default meaning again.
void offstage_unwatch_signal(int signal);

/// Wakes the reader of the pipe: it reads signal 0.
void offstage_signal_wake(void);

/// Reads one signal and who has sent it, 0 for the kernel. Returns -1 when there is none.
int offstage_signal_read(int fd, pid_t *sender);

/// Calls `init()` of a Swift class, whose address is so many bytes into the description of the class. Returns the new
/// object, which is the caller's.
void *offstage_call_init(const void *type, ptrdiff_t place);

/// Where the call came from, `depth` calls above the function that calls this: a return address, or 0 when nobody can
/// tell.
uintptr_t offstage_caller(int depth);

/// Which function a return address is in: the file's name, and the symbol as people read it (its offset where there is
/// none). Both are cut off at their capacity, and end with a zero.
void offstage_describe_caller(uintptr_t address, char *image, size_t image_capacity, char *symbol,
                              size_t symbol_capacity);

/// Does nothing: where a debugger stops when a background task is ended that is not open, by the name that Apple's system
/// gives in the complaint.
void UIApplicationEndBackgroundTaskError(void);
