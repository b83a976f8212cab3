// SPDX-License-Identifier: Apache-2.0

/// A pressed key.
package enum Key: Sendable, Equatable {
    /// A letter, a control character or another byte that is not part of a longer sequence.
    case character(UInt8)
    case up, down, pageUp, pageDown, home, end
}
