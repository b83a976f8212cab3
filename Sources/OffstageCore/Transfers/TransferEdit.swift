// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// What a person changes of a transfer that was handed over (`offstage change`); nil for what stays.
package struct TransferEdit: Sendable, Equatable, Codable {
    /// From 0 to 1.
    package var priority: Double?
    package var label: String?
    package var earliestBegin: Date?
    package var url: RequestURL?
    /// The file that a download makes: an absolute path.
    package var path: String?

    package init() {}

    /// Whether it is about more than what a transfer under way may be given.
    package var needsStandstill: Bool { earliestBegin != nil || url != nil || path != nil }
}
