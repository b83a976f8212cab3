// SPDX-License-Identifier: Apache-2.0

// Apple's UserNotifications brings Foundation along, and code that imports nothing else relies on it.
@_exported public import Offstage
