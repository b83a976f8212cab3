// SPDX-License-Identifier: Apache-2.0

/// What has become of changes that were to be made durable.
package enum CommitOutcome: Sendable, Hashable {
    case durable
    /// The store refuses them for good (`StoreError.isOfRequest`): nothing of them is written.
    case refused(StoreError)
    /// The daemon stops before they are durable.
    case stopped
}
