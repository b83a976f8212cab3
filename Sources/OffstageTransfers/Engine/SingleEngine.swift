// SPDX-License-Identifier: Apache-2.0

/// An engine with one thread, which can show whether that thread is responsive.
package protocol SingleEngine: TransferEngine {
    /// Asks for a sign of life.
    func ask()
    /// Whether it has given a sign of life since the last request.
    var hasAnswered: Bool { get }
}
