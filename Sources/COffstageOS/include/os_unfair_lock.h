// SPDX-License-Identifier: Apache-2.0
// Apple's os_unfair_lock: four bytes that know their owner. Waiters sleep in the kernel.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#if __has_attribute(swift_attr)
#define OFFSTAGE_NOT_IN_ASYNC __attribute__((swift_attr("@_unavailableFromAsync")))
#else
#define OFFSTAGE_NOT_IN_ASYNC
#endif

/// A lock that is unlocked when it is all zeros. It must stay where it is, and is unlocked by the thread that locked it.
typedef struct os_unfair_lock_s {
    /// The thread that holds it, and whether others wait.
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

/// Waits until the lock is free, and takes it. A thread that holds it already ends the process, with a sentence on
/// standard error.
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock) OFFSTAGE_NOT_IN_ASYNC;

/// Takes the lock if it is free; returns whether it did.
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock) OFFSTAGE_NOT_IN_ASYNC;

/// Gives the lock back. A thread that does not hold it ends the process, with a sentence on standard error.
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock) OFFSTAGE_NOT_IN_ASYNC;

/// Ends the process, with a sentence on standard error, unless this thread holds the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);

/// Ends the process, with a sentence on standard error, if this thread holds the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);
