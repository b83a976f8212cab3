// SPDX-License-Identifier: Apache-2.0

// Apple's BackgroundTasks re-exports Foundation, and code that imports nothing else relies on it. As on Apple's
// platforms, the session types are included.
@_exported public import Dispatch
@_exported public import Offstage
