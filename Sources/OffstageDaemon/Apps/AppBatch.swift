// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is to be in the next commit of apps: everything that was asked for in one turn of the loop.
struct AppBatch {
    /// Entries and announced sessions, in order.
    var changes: [TransferChange] = []
    /// Apps whose registrations are to be written, as they are then.
    var apps: [SupervisedApp] = []

    var isEmpty: Bool { changes.isEmpty && apps.isEmpty }
}
