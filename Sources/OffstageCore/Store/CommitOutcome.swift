// SPDX-License-Identifier: Apache-2.0

/// The outcome of a request to make changes durable.
package enum CommitOutcome: Sendable, Hashable {
    case durable
    /// The store refuses them for good (`StoreError.isOfRequest`): none of them is written.
    case refused(StoreError)
    /// The daemon stopped before they were durable.
    case stopped
}
