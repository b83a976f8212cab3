// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Which servers are asked for a go-ahead before a body is sent (RFC 9110, section 10.1.1), and which have let that pass.
///
/// A server that refuses an upload by its head saves the sender the body; one that does not know the question costs it a
/// second. So only large bodies are worth it, and no server is asked again that has taken one without a word.
final class GoAheadBook {
    /// As curl has it, in bytes: what is not longer is sent at once.
    static let threshold: Int64 = 1 << 20
    /// Servers that are remembered; the one that was noted first goes first.
    static let capacity = 1000

    private var silent: Set<String> = []
    private var order: [String] = []

    /// Whether a body of this length, for this server, is to wait for a go-ahead.
    func isWorthAsking(_ server: String, length: Int64) -> Bool {
        length > Self.threshold && !silent.contains(server)
    }

    /// The server has taken a body without having said that it may come.
    func ignored(by server: String) {
        guard silent.insert(server).inserted else { return }
        order.append(server)
        if order.count > Self.capacity { silent.remove(order.removeFirst()) }
    }
}
