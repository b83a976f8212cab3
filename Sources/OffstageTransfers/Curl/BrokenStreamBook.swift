// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Which transfers' latest attempt ended with a broken stream of HTTP/2 before its answer: the next one uses HTTP/1.1.
/// If that breaks too, the one after it may use HTTP/2 again.
package struct BrokenStreamBook: Sendable {
    /// How many transfers are remembered; the oldest entry is dropped first.
    package static let capacity = 1000

    private var attempts: [TransferID: Int] = [:]
    private var order: [TransferID] = []

    package init() {}

    /// Records the request whose stream broke.
    package mutating func record(_ key: RequestKey) {
        guard attempts.updateValue(key.attempt, forKey: key.id) == nil else { return }
        order.append(key.id)
        if order.count > Self.capacity { attempts[order.removeFirst()] = nil }
    }

    /// Whether a request belongs to the attempt after the one that broke.
    package func concerns(_ key: RequestKey) -> Bool {
        attempts[key.id].map { $0 == key.attempt.subtractingClamped(1) } ?? false
    }
}
