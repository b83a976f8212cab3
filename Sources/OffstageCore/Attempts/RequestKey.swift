// SPDX-License-Identifier: Apache-2.0

/// Identifies one request of one attempt of one transfer, so that a late order does not affect another request.
package struct RequestKey: Hashable, Sendable {
    package let id: TransferID
    package let attempt: Int
    package let lane: Int

    package init(_ id: TransferID, attempt: Int, lane: Int = 0) {
        self.id = id
        self.attempt = attempt
        self.lane = lane
    }
}
