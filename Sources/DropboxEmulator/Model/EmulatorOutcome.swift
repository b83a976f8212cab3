// SPDX-License-Identifier: Apache-2.0

/// What the edge does when a request has been dealt with.
package struct EmulatorOutcome: Sendable {
    /// Nil when the connection is closed without a word.
    package var reply: EmulatorReply?
    /// Seconds to wait before the answer.
    package var delay: Double = 0
    /// Segments that nobody needs any more.
    package var released: [String] = []
}
