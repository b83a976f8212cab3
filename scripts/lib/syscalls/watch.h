// SPDX-License-Identifier: Apache-2.0
// A supervisor for the system calls of one program, by seccomp's user notification: it needs no privilege and sees the
// calls of libc, libcurl and SQLite alike.
#pragma once
#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/types.h>
#include <sys/types.h>

// What the first arguments of a call say about what it is done to.
enum shape { NOTHING, FD, PATH, AT, PATH2, AT2, FD_THIRD, FD_FIFTH, PATH_SECOND, AT_SECOND };

struct entry {
    int number;
    const char *name;
    enum shape shape;
};

struct call {
    const struct seccomp_notif *notif;
    // Its name in tables: calls that do the same share one; made precise by the arguments (`create`, `thread`).
    const char *name;
    enum shape shape;
    // What it is done to, absolute; of a rename or a link also what it becomes. Empty where there is nothing.
    char target[PATH_MAX];
    char other[PATH_MAX];
};

// What is answered in place of the call; `lets` lets the kernel carry it out.
struct verdict {
    bool lets;
    bool is_answered;
    int error;
    long long value;
};

static const struct verdict LET = {.lets = true};

// The supervised process, a descriptor of it, and the folder that is looked at.
extern pid_t watched;
extern int watched_fd;
extern int listener;
extern const char *root;

// calls.c
extern const struct entry entries[];
const struct entry *entry_of(int number);
int install_filter(const char *const *names);
void describe(struct call *call, const struct seccomp_notif *notif, const struct entry *entry);
bool is_of_watched(pid_t thread);

// peek.c
bool peek(pid_t thread, uint64_t address, void *bytes, size_t count);
bool poke(pid_t thread, uint64_t address, const void *bytes, size_t count);
bool peek_text(pid_t thread, uint64_t address, char text[PATH_MAX]);
void absolute(pid_t thread, int folder, const char *path, char result[PATH_MAX]);
void target_of_fd(pid_t thread, int fd, char result[PATH_MAX]);
int borrow(int fd);
bool is_inside(const char *path);
// Gives the program a descriptor as the call's result.
bool hand_over(const struct seccomp_notif *notif, int fd, bool closes);

// faults.c
bool add_fault(char **words);
struct verdict fault(const struct call *call);
void open_log(const char *path);
void log_end(int status);
void forget_faults(void);
extern bool is_logging;

// record.c
bool start_recording(const char *path);
void load_inodes(const char *path);
struct verdict record(const struct call *call);
extern const char *boot_id;
extern const char *const recorded_calls[];
