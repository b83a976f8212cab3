// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is to be in the next commit of deferred work, in order, and what follows once it is durable.
struct TaskBatch {
    enum Follower {
        /// The app's life is told to run the task.
        case begin(UInt64)
        /// Watchers are told of the task as it is then.
        case tell(UInt64)
        /// Somebody is answered; false when the daemon ends first.
        case answer(CheckedContinuation<Bool, Never>)
    }

    var changes: [TaskChange] = []
    var followers: [Follower] = []

    var isEmpty: Bool { changes.isEmpty && followers.isEmpty }
}
