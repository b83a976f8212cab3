// SPDX-License-Identifier: Apache-2.0

/// A task of an app's journal that the store refuses for good.
package struct RefusedSessionTask: Sendable, Hashable {
    package let key: SessionTaskKey?
    /// The reason, for the app.
    package let failure: TransferFailure

    package init(_ task: HandOverBatch.Task, _ refusal: StoreError) {
        key = task.spec.sessionTask
        failure = TransferFailure(.internalError, "it cannot be kept: \(refusal.sentence.dropLast())")
    }
}
