// SPDX-License-Identifier: Apache-2.0

/// Which news of transfers is shown to a person on the desktop.
package enum NotifyChoice: String, Sendable, Hashable, Codable, CaseIterable {
    case never
    /// A transfer has failed, or waits for a person.
    case failures
    /// A transfer has completed, as well.
    case all
}
