// SPDX-License-Identifier: Apache-2.0

/// An engine of one thread, which shows whether that thread goes on.
package protocol SingleEngine: TransferEngine {
    /// Asks for a sign of life.
    func ask()
    /// Whether it has given one since it was asked last.
    var hasAnswered: Bool { get }
}
