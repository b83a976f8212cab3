// SPDX-License-Identifier: Apache-2.0

/// Which news of transfers a person is told on the desktop.
package enum NotifyChoice: String, Sendable, Hashable, Codable, CaseIterable {
    case never
    /// That one has failed, or waits for a person.
    case failures
    /// That one has completed, too.
    case all
}
