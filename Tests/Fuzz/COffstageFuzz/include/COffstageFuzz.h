// SPDX-License-Identifier: Apache-2.0
#ifndef COFFSTAGE_FUZZ_H
#define COFFSTAGE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's driver, for a program that has a main of its own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
