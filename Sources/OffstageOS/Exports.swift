// SPDX-License-Identifier: Apache-2.0

// `os_unfair_lock` is a C API, like Apple's.
@_exported public import COffstageUnfairLock
