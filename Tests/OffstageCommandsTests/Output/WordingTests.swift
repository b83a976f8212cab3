// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Wording that people did not understand, and its replacement.
@Suite struct WordingTests {
    /// Where a text appears, the text, and its former wording.
    struct Case: Sendable, CustomTestStringConvertible {
        var place: String
        var said: [String]
        var never: [String]
        var text: @Sendable () throws -> String
        var testDescription: String { place }
    }

    /// The text of `show` for a transfer with two attempts behind it.
    private static func show(_ cause: Reason.Cause, failure: TransferFailure? = nil) throws -> String {
        var transfer = try Samples.transfer(7, cause)
        transfer.past.count = 2
        let end = noon.addingTimeInterval(5)
        transfer.past.history = [1, 2].map { number in
            AttemptRecord(number: number, startedAt: noon, endedAt: end, fromByte: 0, toByte: 5, failure: failure)
        }
        let row = TransferRow(
            transfer: transfer,
            reason: Reason(cause: cause, since: noon),
            bytesDone: 5,
            bytesTotal: 5,
            rate: 0
        )
        let detail = TransferDetail(transfer: transfer, row: row, partialPath: nil)
        return DetailText.lines(detail, now: noon).joined(separator: "\n") + "\n"
    }

    private static func errors(_ words: String..., input: String = "") -> String {
        CommandRun(words, input: input).errors
    }

    static let cases = [
        Case(place: "show: attempts", said: ["Attempts:     2\n"], never: ["retries", "of them"]) {
            try show(.completed(status: 200))
        },
        Case(place: "show: how attempts ended", said: [": complete\n"], never: ["ended well", "was stopped"]) {
            try show(.completed(status: 200))
        },
        Case(place: "show: one that was paused", said: ["5: paused or cancelled by you\n"], never: ["was stopped"]) {
            try show(.paused)
        },
        Case(place: "show: paused", said: ["Reason:       paused by you\n"], never: []) { try show(.paused) },
        Case(place: "show: done", said: ["State:        done\n"], never: ["To do:", "Nothing needs doing"]) {
            try show(.completed(status: 200))
        },
        Case(place: "show: failed", said: ["To do:        "], never: ["Nothing needs doing"]) {
            let failure = TransferFailure(.connectionLost, "the connection to h:80 broke")
            return try show(.failed(failure), failure: failure)
        },
        Case(place: "doctor: a warning", said: ["No problems, 1 warning."], never: ["put right", "to know of"]) {
            DoctorCommand.verdict(failed: 0, warned: 1)
        },
        Case(place: "doctor: both", said: ["1 problem, 2 warnings."], never: []) {
            DoctorCommand.verdict(failed: 1, warned: 2)
        },
        Case(place: "doctor: a problem", said: ["2 problems."], never: ["warning"]) {
            DoctorCommand.verdict(failed: 2, warned: 0)
        },
        Case(place: "doctor: nothing", said: ["Everything is in order."], never: ["problem"]) {
            DoctorCommand.verdict(failed: 0, warned: 0)
        },
        Case(
            place: "echo data | upload -",
            said: [
                "Standard input is read as a list of file names, and there is no file 'data' (line 1)", "write it to",
            ],
            never: ["There is no file /"]
        ) { errors("upload", "-", "https://h/in/", input: "data\n") },
        Case(
            place: "stop",
            said: ["'stop' is not a command: 'offstage pause' holds a transfer, 'cancel' ends it, and 'daemon stop'"],
            never: ["'show'", "did you mean"]
        ) { errors("stop") },
    ]

    @Test(arguments: cases) func `what is said is what is meant`(line: Case) throws {
        let text = try line.text()
        for words in line.said { #expect(text.contains(words), "\(text)") }
        for words in line.never { #expect(!text.contains(words), "\(text)") }
    }
}
