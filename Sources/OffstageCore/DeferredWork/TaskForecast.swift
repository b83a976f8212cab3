// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// An expected start, if nothing changes.
package struct TaskForecast: Sendable, Hashable, Codable {
    package var number: UInt64
    package var app: String
    package var identifier: String
    package var kind: TaskRequest.Kind
    package var date: Date
    /// The reason for waiting until then.
    package var reason: TaskReason.Cause

    package init(
        number: UInt64,
        app: String,
        identifier: String,
        kind: TaskRequest.Kind,
        date: Date,
        reason: TaskReason.Cause
    ) {
        self.number = number
        self.app = app
        self.identifier = identifier
        self.kind = kind
        self.date = date
        self.reason = reason
    }
}
