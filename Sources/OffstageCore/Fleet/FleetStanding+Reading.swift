// SPDX-License-Identifier: Apache-2.0

extension FleetStanding {
    /// Reads the answer of the database's `why`; nil if there is no such row, or if the answer makes no sense.
    ///
    /// - Parameter records: one for each crowd of members. The columns about the row are the same in all of them.
    package init?(_ records: [FleetRecord]) {
        guard let first = records.first, let state = first.number("state", Counts.self).flatMap(State.init(rawValue:)),
            let queue = first.raw("queue"), FleetText.isName(queue), let host = first.raw("host"),
            let requires = first.labels("requires", most: FleetLabels.mostOfRow)
        else { return nil }
        self.init(state: state, queue: queue, host: host)
        self.requires = requires
        isQueuePaused = first.flag("is_queue_paused") ?? false
        hostLimit = first.number("host_most", Counts.self)
        hostRunning = first.number("host_running", Counts.self) ?? 0
        ahead = first.number("ahead", Counts.self) ?? 0
        readyAt = first.date("ready_at")
        member = first.text("member", longest: 63)
        detail = first.text("detail", longest: 1000)
        crowds = records.compactMap(Crowd.init)
    }
}

extension FleetStanding.Crowd {
    /// Nil for a record without members, as from a fleet that has none, or of a kind that this version does not know.
    init?(_ record: FleetRecord) {
        guard let standing = record.number("member_state", Counts.self).flatMap(Standing.init(rawValue:)),
            let count = record.number("members", Counts.self),
            let lacking = record.labels("lacking", most: FleetLabels.mostOfRow)
        else { return nil }
        self.init(
            standing: standing,
            isSilent: record.flag("is_silent") ?? true,
            hasRoom: record.flag("has_room") ?? false,
            lacking: lacking.texts,
            count: count
        )
    }
}
