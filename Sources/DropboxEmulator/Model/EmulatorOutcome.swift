// SPDX-License-Identifier: Apache-2.0

/// What the edge does once a request has been handled.
package struct EmulatorOutcome: Sendable {
    /// Nil to close the connection without an answer.
    package var reply: EmulatorReply?
    /// Seconds to wait before the answer.
    package var delay: Double = 0
    /// Segments that are no longer needed.
    package var released: [String] = []
}
