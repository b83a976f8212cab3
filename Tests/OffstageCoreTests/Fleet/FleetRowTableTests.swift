// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Every event in every situation of a row at its member. A missing cell means that nothing changes.
@Suite struct FleetRowTableTests {
    enum Situation: String, CaseIterable {
        case granted, grantedOnce, grantedHalted, beginning, beginningHalted, beginningCancelled, handingOver,
            handingHalted
        case handingCancelled, running, runningOnce, halted, stopping, stoppingOnce, reporting, reportingHalted,
            returning,
            returningHalted
        case losing, losingUnnamed, over

        static let transfer = TransferID(rawValue: 7)
        static let end = FleetEnd(.done, status: 201)

        /// The events that lead from the lease to this situation.
        private var way: [FleetRowEvent] {
            switch self {
            case .granted, .grantedOnce: []
            case .grantedHalted: [.halt]
            case .beginning: [.start]
            case .beginningHalted: [.start, .halt]
            case .beginningCancelled: [.start, .want(.cancel)]
            case .handingOver: [.start]
            case .handingHalted: [.start, .halt]
            case .handingCancelled: [.start, .want(.cancel)]
            case .running, .runningOnce: [.start, .begun(true), .taken(Self.transfer)]
            case .halted: [.start, .taken(Self.transfer), .halt]
            case .stopping: [.start, .taken(Self.transfer), .want(.pause)]
            case .stoppingOnce: [.start, .begun(true), .taken(Self.transfer), .want(.pause)]
            case .reporting: [.start, .taken(Self.transfer), .ended(Self.end)]
            case .reportingHalted: [.start, .taken(Self.transfer), .ended(Self.end), .halt]
            case .returning: [.start, .taken(Self.transfer), .want(.pause), .stopped(mayHaveArrived: true)]
            case .returningHalted:
                [.start, .taken(Self.transfer), .want(.pause), .stopped(mayHaveArrived: true), .halt]
            case .losing: [.start, .taken(Self.transfer), .lost]
            case .losingUnnamed: [.start, .lost]
            case .over: [.want(.cancel), .returned]
            }
        }

        var row: FleetRow? {
            guard let grant = FleetGrant(row: 4, fence: 2) else { return nil }
            let isRepeatable = ![
                .grantedOnce, .beginning, .beginningHalted, .beginningCancelled, .runningOnce, .stoppingOnce,
            ].contains(self)
            var row = FleetRow(grant, isRepeatable: isRepeatable)
            for event in way { _ = row.handle(event) }
            return row
        }
    }

    static let ofMachine = FleetEnd(.failed, detail: "the file is not here", isOfMachine: true)

    static let rows: [(name: String, event: FleetRowEvent, cells: [Situation: String])] = [
        ("start", .start, [.granted: "handingOver | handOver", .grantedOnce: "beginning | begin"]),
        (
            "begun", .begun(true),
            [
                .beginning: "handingOver | handOver", .beginningHalted: "handingOver | handOver",
                .beginningCancelled: "returning | giveBack(0)",
            ]
        ),
        (
            "not begun", .begun(false),
            [.beginning: "over | over", .beginningHalted: "over | over", .beginningCancelled: "over | over"]
        ),
        (
            "taken", .taken(Situation.transfer),
            [
                .handingOver: "running", .handingHalted: "halted | pause", .handingCancelled: "stopping | cancel",
                .losingUnnamed: "losing | letGo",
            ]
        ),
        (
            "not taken", .notTaken(ofMachine),
            [
                .handingOver: "returning | giveBack(10)", .handingHalted: "returning | giveBack(10)",
                .handingCancelled: "returning | giveBack(0)", .losingUnnamed: "over | over",
            ]
        ),
        (
            "refused", .notTaken(FleetEnd(.failed, detail: "the file has changed")),
            [
                .handingOver: "reporting | report(failed)", .handingHalted: "reporting | report(failed)",
                .handingCancelled: "returning | giveBack(0)", .losingUnnamed: "over | over",
            ]
        ),
        (
            "memory", .memory(number: 3, [1], done: 5),
            [
                .running: "running | keep(3)", .runningOnce: "running | keep(3)", .halted: "halted | keep(3)",
                .stopping: "stopping | keep(3)", .stoppingOnce: "stopping | keep(3)",
            ]
        ),
        ("kept", .kept(number: 3, true), [.running: "running | confirm(3)", .runningOnce: "running | confirm(3)"]),
        (
            "not kept", .kept(number: 3, false),
            [
                .running: "losing | letGo", .runningOnce: "losing | letGo", .halted: "losing | letGo",
                .stopping: "losing | letGo", .stoppingOnce: "losing | letGo",
            ]
        ),
        (
            "unkeepable", .unkeepable(number: 3, note: "too long"),
            [.running: "stopping | letGo", .runningOnce: "stopping | letGo", .halted: "stopping | letGo"]
        ),
        (
            "ended", .ended(Situation.end),
            [
                .running: "reporting | report(done)", .runningOnce: "reporting | report(done)",
                .halted: "reporting | report(done)", .stopping: "reporting | report(done)",
                .stoppingOnce: "reporting | report(done)",
                .losing: "over | forget over",
            ]
        ),
        (
            "ended by the machine", .ended(ofMachine),
            [
                .running: "returning | giveBack(10)", .runningOnce: "reporting | report(failed)",
                .halted: "returning | giveBack(10)", .stopping: "returning | giveBack(10)",
                .stoppingOnce: "reporting | report(failed)",
                .losing: "over | forget over",
            ]
        ),
        (
            "ended as cancelled", .ended(FleetEnd(.cancelled)),
            [
                .running: "reporting | report(cancelled)", .runningOnce: "reporting | report(cancelled)",
                .halted: "reporting | report(cancelled)", .stopping: "returning | giveBack(0)",
                .stoppingOnce: "returning | giveBack(0)", .losing: "over | forget over",
            ]
        ),
        (
            "stopped before it began", .stopped(mayHaveArrived: false),
            [
                .running: "returning | giveBack(10)", .runningOnce: "returning | giveBack(10)",
                .halted: "returning | giveBack(10)", .stopping: "returning | giveBack(0)",
                .stoppingOnce: "returning | giveBack(0)", .losing: "over | forget over",
            ]
        ),
        (
            "stopped under way", .stopped(mayHaveArrived: true),
            [
                .running: "returning | giveBack(10)", .runningOnce: "reporting | report(unknown)",
                .halted: "returning | giveBack(10)", .stopping: "returning | giveBack(0)",
                .stoppingOnce: "reporting | report(unknown)", .losing: "over | forget over",
            ]
        ),
        ("wanted elsewhere", .want(.moveOn), wanted("letGo", beginningCancelled: nil)),
        ("paused", .want(.pause), wanted("letGo", beginningCancelled: nil)),
        ("cancelled", .want(.cancel), wanted("cancel", beginningCancelled: nil)),
        (
            "halt", .halt,
            Dictionary(
                uniqueKeysWithValues: Situation.allCases.filter {
                    ![.grantedHalted, .beginningHalted, .handingHalted, .halted, .reportingHalted, .returningHalted]
                        .contains($0)
                }.compactMap { situation in
                    situation.row.map { row in
                        (
                            situation,
                            [.running, .runningOnce].contains(situation)
                                ? "halted | pause" : FleetRowTableTests.name(row)
                        )
                    }
                }
            )
        ),
        (
            "go on", .goOn,
            [
                .grantedHalted: "handingOver | handOver", .beginningHalted: "beginning | begin",
                .handingHalted: "handingOver", .halted: "running | resume",
                .reportingHalted: "reporting | report(done)", .returningHalted: "returning | giveBack(0)",
            ]
        ),
        (
            "lost", .lost,
            [
                .granted: "over | over", .grantedOnce: "over | over", .grantedHalted: "over | over",
                .beginning: "over | over",
                .beginningHalted: "over | over", .beginningCancelled: "over | over", .handingOver: "losing",
                .handingHalted: "losing", .handingCancelled: "losing", .running: "losing | letGo",
                .runningOnce: "losing | letGo", .halted: "losing | letGo", .stopping: "losing | letGo",
                .stoppingOnce: "losing | letGo",
                .reporting: "over | forget over", .reportingHalted: "over | forget over",
                .returning: "over | forget over",
                .returningHalted: "over | forget over",
            ]
        ),
        ("reported", .reported(true), [.reporting: "over | forget over", .reportingHalted: "over | forget over"]),
        (
            "reported in vain", .reported(false),
            [.reporting: "over | forget over", .reportingHalted: "over | forget over"]
        ),
        ("returned", .returned, [.returning: "over | forget over", .returningHalted: "over | forget over"]),
    ]

    private static func wanted(_ action: String, beginningCancelled: String?) -> [Situation: String] {
        [
            .granted: "returning | giveBack(0)", .grantedOnce: "returning | giveBack(0)",
            .grantedHalted: "returning | giveBack(0)", .beginning: "beginning", .beginningHalted: "beginning",
            .handingOver: "handingOver", .handingHalted: "handingOver", .running: "stopping | \(action)",
            .runningOnce: "stopping | \(action)", .halted: "stopping | \(action)",
        ]
    }

    static func name(_ row: FleetRow) -> String {
        switch row.state {
        case .granted: "granted"
        case .beginning: "beginning"
        case .handingOver: "handingOver"
        case .running: "running"
        case .halted: "halted"
        case .stopping: "stopping"
        case .reporting: "reporting"
        case .returning: "returning"
        case .losing: "losing"
        case .over: "over"
        }
    }

    private static func name(_ action: FleetRowAction) -> String {
        switch action {
        case .begin: "begin"
        case .handOver: "handOver"
        case .keep(let number, _, _): "keep(\(number))"
        case .confirm(_, let number): "confirm(\(number))"
        case .pause: "pause"
        case .resume: "resume"
        case .cancel: "cancel"
        case .letGo: "letGo"
        case .report(let end): "report(\(end.result))"
        case .giveBack(let back): "giveBack(\(Int(back.after)))"
        case .forget: "forget"
        case .over: "over"
        }
    }

    @Test func `every event in every situation leads where the table says`() throws {
        for (name, event, cells) in Self.rows {
            for situation in Situation.allCases {
                let before = try #require(situation.row)
                var row = before
                let actions = row.handle(event).map(Self.name)
                let done = actions.isEmpty ? Self.name(row) : "\(Self.name(row)) | " + actions.joined(separator: " ")
                let isUnchanged = row == before && actions.isEmpty
                #expect(
                    isUnchanged ? cells[situation] == nil : cells[situation] == done,
                    "\(name), \(situation): \(done)"
                )
            }
        }
    }

    @Test func `the table has every event`() {
        // A new case makes this switch fail to compile, and then the table lacks a row.
        for (_, event, _) in Self.rows {
            switch event {
            case .start, .begun, .taken, .notTaken, .memory, .kept, .unkeepable, .ended, .stopped, .want, .halt, .goOn,
                .lost,
                .reported,
                .returned:
                break
            }
        }
        #expect(Self.rows.count == 24)
    }

    @Test func `what was wanted while the daemon took it is done then, the last outweighing the first`() throws {
        var row = try #require(Situation.handingOver.row)
        _ = row.handle(.want(.cancel))
        _ = row.handle(.want(.moveOn))
        #expect(row.handle(.taken(Situation.transfer)) == [.cancel(Situation.transfer)])
    }

    @Test func `the wait grows with the leases, up to ten minutes`() {
        #expect([0, 1, 2, 3, 8, 9, 500, .max].map { FleetRow.delay(after: $0) } == [5, 5, 10, 20, 600, 600, 600, 600])
    }
}
