// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A person's changes to a transfer that was handed over (`offstage change`); nil leaves a value as it is.
package struct TransferEdit: Sendable, Equatable, Codable {
    /// From 0 to 1.
    package var priority: Double?
    package var label: String?
    package var earliestBegin: Date?
    package var url: RequestURL?
    /// The file that a download makes: an absolute path.
    package var path: String?

    package init() {}

    /// Whether it changes more than a transfer under way allows.
    package var needsStandstill: Bool { earliestBegin != nil || url != nil || path != nil }
}
