// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Which servers are sent `Expect: 100-continue` before a body (RFC 9110, section 10.1.1), and which have ignored it.
///
/// A server that refuses an upload by its head saves the client the body; one that ignores the expectation costs it a
/// second. So only large bodies are worth it, and a server that took a body without a go-ahead is not asked again.
final class GoAheadBook {
    /// The threshold in bytes, as in curl: a body up to this length is sent at once.
    static let threshold: Int64 = 1 << 20
    /// How many servers are remembered; the oldest entry is dropped first.
    static let capacity = 1000

    private var silent: Set<String> = []
    private var order: [String] = []

    /// Whether a body of this length should wait for this server's go-ahead.
    func isWorthAsking(_ server: String, length: Int64) -> Bool {
        length > Self.threshold && !silent.contains(server)
    }

    /// Records that the server took a body without sending a go-ahead.
    func ignored(by server: String) {
        guard silent.insert(server).inserted else { return }
        order.append(server)
        if order.count > Self.capacity { silent.remove(order.removeFirst()) }
    }
}
