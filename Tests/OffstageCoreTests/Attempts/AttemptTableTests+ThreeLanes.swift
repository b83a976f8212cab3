// SPDX-License-Identifier: Apache-2.0

/// What an event does where it does something; in every other state it does nothing.
extension AttemptTableTests {
    static let threeLanes: [String: [AttemptStage: String]] = [
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
            .openForUpload: "working(0,1,2): send(0)@0 send(1)@100 send(2)@200",
        ],
        "committed": [.committing: "working(0,1,2): send(2)@200"],
        "authorized": [.authorizing: "working(0,1,2): send(2)@200"],
        "not authorized": [.authorizing: "stopping(0,1) with a result: stop(0) stop(1)"],
        "digested": [.hashing: "working(0,1,2): stopHashing(1) send(2)@200"],
        "digested of another span": [.hashing: "working(0,1,2): send(2)@200"],
        "hashed": [.hashing: "working(0,1,2): stopHashing(1) send(2)@200"],
        "not digested": [.hashing: "stopping(0,1) with a result: stopHashing(1) stop(0) stop(1)"],
        "heard": [
            .sending: "working(0,1,2): remember([49]) store",
            .committing: "working(0,1 commit): remember([49]) store",
            .hashing: "working(0,1 digests): remember([49]) store",
            .authorizing: "working(0,1 token): remember([49]) store",
        ],
        "answered": [
            .fetching: "concluded: conclude(200)@9",
            .sending: "stopping(1,2) with a result: acknowledge(10) stop(1) stop(2)",
            .committing: "working(1 commit): acknowledge(10)",
            .hashing: "working(1 digests): acknowledge(10)",
            .authorizing: "working(1 token): acknowledge(10)",
            .stoppingBrokenOff: "stopping(1,2): acknowledge(10)",
        ],
        "failed": [
            .fetching: "concluded: conclude(connectionLost)@7",
            .sending: "stopping(1,2) with a result: stop(1) stop(2)",
            .committing: "stopping(1) with a result: stop(1)",
            .hashing: "stopping(1) with a result: stopHashing(1) stop(1)",
            .authorizing: "stopping(1) with a result: stop(1)",
            .stoppingBrokenOff: "stopping(1,2):",
        ],
        "must begin again": [
            .fetching: "concluded: conclude(begin again)@0",
            .sending: "stopping(1,2) with a result: stop(1) stop(2)",
            .committing: "stopping(1) with a result: stop(1)",
            .hashing: "stopping(1) with a result: stopHashing(1) stop(1)",
            .authorizing: "stopping(1) with a result: stop(1)",
            .stoppingBrokenOff: "stopping(1,2):",
        ],
        "answered in the second lane": [
            .sending: "stopping(0,2) with a result: acknowledge(10) stop(0) stop(2)",
            .committing: "working(0 commit): acknowledge(10)",
            .hashing: "working(0 digests): acknowledge(10)",
            .authorizing: "working(0 token): acknowledge(10)",
            .stoppingWithResult: "stopping(2) with a result: acknowledge(10)",
            .stoppingBrokenOff: "stopping(0,2): acknowledge(10)",
        ],
        "released from the second lane": [
            .sending: "stopping(0,2) with a result: stop(0) stop(2)",
            .committing: "stopping(0) with a result: stop(0)",
            .hashing: "stopping(0) with a result: stopHashing(1) stop(0)",
            .authorizing: "stopping(0) with a result: stop(0)",
            .stoppingWithResult: "stopping(2) with a result:",
            .stoppingBrokenOff: "stopping(0,2):",
        ],
        "released": [
            .fetching: "concluded: conclude(daemonInterrupted)@5",
            .sending: "stopping(1,2) with a result: stop(1) stop(2)",
            .committing: "stopping(1) with a result: stop(1)",
            .hashing: "stopping(1) with a result: stopHashing(1) stop(1)",
            .authorizing: "stopping(1) with a result: stop(1)",
            .stoppingBrokenOff: "stopping(1,2):",
        ],
        "break off": [
            .opening: "abandoned:",
            .openForDownload: "over: close forget goOn",
            .openForUpload: "over: close forget goOn",
            .fetching: "stopping(0): stop(0)",
            .sending: "stopping(0,1,2): stop(0) stop(1) stop(2)",
            .committing: "stopping(0,1): stop(0) stop(1)",
            .hashing: "stopping(0,1): stopHashing(1) stop(0) stop(1)",
            .authorizing: "stopping(0,1): stop(0) stop(1)",
            .stoppingWithResult: "stopping(1,2):",
        ],
        "save": [.concluded: "saving:"],
        "dismiss": [.concluded: "over: close forget"],
        "saved": [.saving: "over: forget"],
    ]
}
