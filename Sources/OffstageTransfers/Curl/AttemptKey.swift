// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One attempt of one transfer: an order that arrives late must not hit the attempt after.
struct AttemptKey: Hashable, Sendable {
    var id: TransferID
    var attempt: Int
}
