// SPDX-License-Identifier: Apache-2.0

/// Why the program cannot serve, as a sentence.
package struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
