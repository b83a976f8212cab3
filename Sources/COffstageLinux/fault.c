// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static char fault_point[48], fault_what[128];
static int overflows, is_unnamed;

void offstage_fault_set(const char *text) {
    const char *colon = strchr(text, ':');
    if (colon == NULL) return;
    size_t length = (size_t)(colon - text);
    if (strncmp(text, "overflow-", 9) == 0) {
        overflows = 1;
        text += 9;
        length -= 9;
    } else if (strncmp(text, "unnamed-", 8) == 0) {
        is_unnamed = 1;
        text += 8;
        length -= 8;
    }
    if (length >= sizeof fault_point) return;
    memcpy(fault_point, text, length);
    snprintf(fault_what, sizeof fault_what, "%s", colon + 1);
}

// Not a tail call, so that every one takes its part of the stack.
__attribute__((noinline)) static int overflow(volatile int depth) {
    volatile char part[1024];
    part[depth & 1023] = 1;
    if (depth == INT_MAX) return 0;
    return overflow(depth + 1) + part[depth & 511];
}

void offstage_fault(const char *point, int64_t number, const char *text) {
    if (fault_point[0] == 0 || strcmp(point, fault_point) != 0) return;
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    if (strcmp(digits, fault_what) != 0 && strcmp(text, fault_what) != 0) return;
    if (is_unnamed) offstage_doing_begin(0, 0, 0);
    if (overflows) overflow(0);
    __builtin_trap();
}
