// SPDX-License-Identifier: Apache-2.0

/// The effects of events in the states in which they have any; in all other states they do nothing.
extension AttemptTableTests {
    static let oneLane: [String: [AttemptStage: String]] = [
        "opened for download": [
            .opening: "open: begin@5",
            .abandoned: "over: close forget goOn",
        ],
        "opened for upload": [
            .opening: "open: begin@0",
            .abandoned: "over: close forget goOn",
        ],
        "not opened": [
            .opening: "over: forget",
            .abandoned: "over: forget goOn",
        ],
        "begun": [
            .openForDownload: "working(0): fetch(0)@5",
            .openForUpload: "working(0): send(0)@0",
        ],
        "committed": [
            .committing: "working(0): send(0)@0",
            .keeping: "working(0): send(0)@0",
            .keepingBeside: "working(0,1): send(1)@100",
        ],
        "not kept": [
            .keeping: "concluded: conclude(withheld)@0",
            .keepingBeside: "working(0 withheld):",
        ],
        "refused": [
            .keeping: "concluded: conclude(refused)@0",
            .keepingBeside: "stopping(0) with a result: stop(0)",
            .withheld: "stopping(0) with a result: stop(0)",
            .sendingKept: "stopping(0) with a result: stop(0)",
        ],
        "authorized": [.authorizing: "working(0): send(0)@0"],
        "not authorized": [.authorizing: "concluded: conclude(unauthorized)@0"],
        "digested": [.hashing: "working(0): stopHashing(1) send(0)@0"],
        "digested of another span": [.hashing: "working(0): send(0)@0"],
        "hashed": [.hashing: "working(0): stopHashing(1) send(0)@0"],
        "not digested": [.hashing: "concluded: stopHashing(1) conclude(sourceUnreadable)@0"],
        "heard": [
            .sending: "working(0): remember([49]) store",
            .keepingBeside: "working(0 commit): remember([49]) store",
            .withheld: "working(0 withheld): remember([49]) store",
            .sendingKept: "working(0): remember([49]) store",
        ],
        "answered": [
            .fetching: "concluded: conclude(200)@9",
            .sending: "concluded: acknowledge(10) conclude(200)@10",
            .keepingBeside: "working( commit): acknowledge(10)",
            .withheld: "concluded: acknowledge(10) conclude(withheld)@10",
            .sendingKept: "concluded: acknowledge(10) conclude(200)@10",
            .stoppingBrokenOff: "over: acknowledge(10) close forget goOn",
        ],
        "failed": [
            .fetching: "concluded: conclude(connectionLost)@7",
            .sending: "concluded: conclude(connectionLost)@0",
            .keepingBeside: "concluded: conclude(connectionLost)@0",
            .withheld: "concluded: conclude(connectionLost)@0",
            .sendingKept: "concluded: conclude(connectionLost)@0",
            .stoppingBrokenOff: "over: close forget goOn",
        ],
        "must begin again": [
            .fetching: "concluded: conclude(begin again)@0",
            .sending: "concluded: conclude(begin again)@0",
            .keepingBeside: "concluded: conclude(begin again)@0",
            .withheld: "concluded: conclude(begin again)@0",
            .sendingKept: "concluded: conclude(begin again)@0",
            .stoppingBrokenOff: "over: close forget goOn",
        ],
        "answered in the second lane": [
            .stoppingWithResult: "concluded: acknowledge(10) conclude(connectionLost)@10"
        ],
        "released from the second lane": [.stoppingWithResult: "concluded: conclude(connectionLost)@0"],
        "released": [
            .fetching: "concluded: conclude(daemonInterrupted)@5",
            .sending: "concluded: conclude(daemonInterrupted)@0",
            .keepingBeside: "concluded: conclude(daemonInterrupted)@0",
            .withheld: "concluded: conclude(daemonInterrupted)@0",
            .sendingKept: "concluded: conclude(daemonInterrupted)@0",
            .stoppingBrokenOff: "over: close forget goOn",
        ],
        "break off": [
            .opening: "abandoned:",
            .openForDownload: "over: close forget goOn",
            .openForUpload: "over: close forget goOn",
            .fetching: "stopping(0): stop(0)",
            .sending: "stopping(0): stop(0)",
            .keeping: "over: close forget goOn",
            .keepingBeside: "stopping(0): stop(0)",
            .withheld: "stopping(0): stop(0)",
            .sendingKept: "stopping(0): stop(0)",
            .committing: "over: close forget goOn",
            .hashing: "over: stopHashing(1) close forget goOn",
            .authorizing: "over: close forget goOn",
            .stoppingWithResult: "stopping(1):",
        ],
        "save": [.concluded: "saving:"],
        "unsynced": [.fetching: "stopping(0) with a result: stop(0)"],
        "dismiss": [.concluded: "over: close forget"],
        "saved": [.saving: "over: forget"],
    ]
}
