// SPDX-License-Identifier: Apache-2.0

// Apple's UserNotifications re-exports Foundation, and code that imports nothing else relies on it.
@_exported public import Offstage
