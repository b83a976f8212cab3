// SPDX-License-Identifier: Apache-2.0
// What a thread is about, and the mark that a process leaves when it traps.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What the calling thread is about: kinds and steps are the caller's numbers, 0 for nothing.
typedef struct {
    int32_t kind;
    int32_t step;
    int64_t number;
} offstage_doing;

/// Notes what the thread is about from now on; returns what it was about before, for offstage_doing_end. A few
/// nanoseconds.
offstage_doing offstage_doing_begin(int32_t kind, int32_t step, int64_t number);
/// As above, with a name in place of a number; what is too long is cut.
offstage_doing offstage_doing_begin_named(int32_t kind, int32_t step, const char *name);
void offstage_doing_end(offstage_doing before);
/// Notes that what has this number is under way, or is not any more. From any thread.
void offstage_under_way(int64_t number, int is_under_way);

/// Gives the calling thread a name for the mark, and a stack of its own for the signal of a stack that has overflowed;
/// lets the signals of a trap through. Without it a thread still leaves a mark for every other trap.
void offstage_crash_thread(const char *name);
/// Has SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE and SIGSEGV that this process brings upon itself leave a mark in the file
/// and then do what they do without. A signal that another process sends leaves none. Returns 0 or -1.
///
/// version and boot are noted in the mark. The file is kept open; its room is set aside now.
int offstage_crash_install(int file, const char *version, const char *boot);

/// A mark that was left.
typedef struct offstage_crash_mark offstage_crash_mark;
/// Reads a mark. NULL when there is none, or it makes no sense.
offstage_crash_mark *offstage_crash_mark_read(int file);
void offstage_crash_mark_free(offstage_crash_mark *mark);
/// Forgets the mark. Returns 0 or -1.
int offstage_crash_mark_clear(int file);
int offstage_crash_mark_signal(const offstage_crash_mark *mark);
/// Since 1970, and on CLOCK_BOOTTIME.
double offstage_crash_mark_wall(const offstage_crash_mark *mark);
double offstage_crash_mark_uptime(const offstage_crash_mark *mark);
offstage_doing offstage_crash_mark_doing(const offstage_crash_mark *mark);
/// How many were under way, and which.
size_t offstage_crash_mark_count(const offstage_crash_mark *mark);
int64_t offstage_crash_mark_number(const offstage_crash_mark *mark, size_t index);
/// 0 the name of what the thread was about, 1 the thread's, 2 the version, 3 the boot, 4 the place in the program.
/// Always terminated; as it was read, so it may hold anything else.
const char *offstage_crash_mark_text(const offstage_crash_mark *mark, int which);

/// A fault switch for tests, POINT:WHAT: see offstage_fault.
void offstage_fault_set(const char *text);
/// Traps when the switch is set to this point and this number or text (`overflow-` before the point: by overflowing the
/// stack; `unnamed-`: without saying what the thread is about).
void offstage_fault(const char *point, int64_t number, const char *text);
