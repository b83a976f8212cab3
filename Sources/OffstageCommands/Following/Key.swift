// SPDX-License-Identifier: Apache-2.0

/// What a person has pressed.
package enum Key: Sendable, Equatable {
    /// A letter, a control or another byte that is no part of a longer sequence.
    case character(UInt8)
    case up, down, pageUp, pageDown, home, end
}
