// SPDX-License-Identifier: Apache-2.0

/// Why this machine is not a member, or cannot be one, as a sentence for people.
package struct MemberError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ sentence: String) { description = sentence }
}
