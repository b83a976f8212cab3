// SPDX-License-Identifier: Apache-2.0

// Apple's BackgroundTasks brings Foundation along, and code that imports nothing else relies on it: with the session types
// in it, as on Apple's platforms.
@_exported public import Dispatch
@_exported public import Offstage
