// SPDX-License-Identifier: Apache-2.0
#include "COffstageUIKit.h"

// Kept by name in each program that ends background tasks, and called although it does nothing.
__attribute__((noinline, used, visibility("default"))) void UIApplicationEndBackgroundTaskError(void) {
    __asm__ volatile("" ::: "memory");
}
