// SPDX-License-Identifier: Apache-2.0
#ifndef COFFSTAGE_FUZZ_H
#define COFFSTAGE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's driver, for a program that has a main of its own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

/// Sets the counters of all branches to 0, before the first execution.
///
/// Returns whether they are as libFuzzer expects them.
bool offstage_fuzz_forget_counts(void);

/// Tells libFuzzer, after an execution, of the counters that have counted for the first time.
void offstage_fuzz_tell_counters(void);

#endif
