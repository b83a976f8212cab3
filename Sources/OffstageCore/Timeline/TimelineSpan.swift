// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Something that lasted from one time to another, as shown in the timeline. It never contains a secret.
package struct TimelineSpan: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        case attempt(TimelineAttempt)
        /// An app was in this state.
        case app(String, LifeState)
        case run(TimelineRun)
        case network(MachineConditions.Network)
        case power(isExternal: Bool)
        /// The daemon ran.
        case daemon
    }

    @Within<CalendarDates> package var began: Date
    /// Never before `began`.
    @Within<CalendarDates> package var ended: Date
    package var subject: Subject

    package init(began: Date, ended: Date, _ subject: Subject) {
        self.began = began
        self.ended = max(began, ended)
        self.subject = subject
    }

    /// A span from one moment to another. A clock that was set meanwhile makes it neither longer nor shorter.
    package init(since: Moment, until now: Moment, _ subject: Subject) {
        self.init(began: now.wall - now.seconds(since: since), ended: now.wall, subject)
    }
}
