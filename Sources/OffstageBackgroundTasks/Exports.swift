// SPDX-License-Identifier: Apache-2.0

// Apple's BackgroundTasks brings Foundation along, and code that imports nothing else relies on it.
@_exported import Dispatch
@_exported import Foundation
