// SPDX-License-Identifier: Apache-2.0
#if OFFSTAGE_THREAD_SANITIZER
    import OffstageCore

    typealias Mutex = TracedMutex
#endif
