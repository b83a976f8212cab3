// SPDX-License-Identifier: Apache-2.0

// `os_unfair_lock` is C, as Apple's is.
@_exported public import COffstageUnfairLock
