// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct FollowedTransfersTests {
    private let one = TransferID(rawValue: 1)

    @Test func `a row is told once for each state, and as progress in between`() throws {
        var transfers = FollowedTransfers([one])
        let queued = try Samples.row(1)
        let running = try Samples.row(1, .running)
        #expect(transfers.apply(queued) == .changed(queued))
        #expect(transfers.apply(running) == .changed(running))
        #expect(transfers.running == [one])
        #expect(transfers.apply(running) == .progressed(running))
        let done = try Samples.row(1, .completed(status: 200))
        #expect(transfers.apply(done) == .finished(done))
        #expect(transfers.unfinished.isEmpty)
        #expect(transfers.running.isEmpty)
        #expect(transfers.apply(running) == nil)
    }

    @Test func `progress changes what is known, and other transfers' events change nothing`() throws {
        var transfers = FollowedTransfers([one])
        _ = transfers.apply(try Samples.row(1, .running))
        let changes = transfers.apply(
            .progress([
                .init(id: one, bytesDone: 5, bytesTotal: 10, rate: 2),
                .init(id: TransferID(rawValue: 2), bytesDone: 1, bytesTotal: nil, rate: 1),
            ])
        )
        #expect(changes.count == 1)
        #expect(transfers.rows[one]?.bytesDone == 5)
        #expect(transfers.rows[one]?.bytesTotal == 10)
        #expect(transfers.rows[one]?.rate == 2)
        #expect(transfers.apply(.removed(TransferID(rawValue: 9))) == [])
    }

    @Test func `the exit status is that of the worst transfer`() throws {
        func status(_ causes: Reason.Cause...) throws -> ExitStatus {
            let ids = causes.indices.map { TransferID(rawValue: Int64($0 + 1)) }
            var transfers = FollowedTransfers(ids)
            for (id, cause) in zip(ids, causes) { _ = transfers.apply(try Samples.row(id.rawValue, cause)) }
            return transfers.exitStatus
        }
        let refused = Reason.Cause.failed(TransferFailure(.cannotConnect, "refused"))
        let notFound = Reason.Cause.failed(TransferFailure(.httpStatus, "the server answered 404"))
        #expect(try status(.completed(status: 201)) == .success)
        #expect(try status(.completed(status: 500)) == .httpError)
        #expect(try status(.completed(status: 200), notFound) == .httpError)
        #expect(try status(notFound, refused) == .failure)
        #expect(try status(.cancelled) == .failure)
        var forgotten = FollowedTransfers([one])
        #expect(forgotten.apply(.removed(one)) == [.removed(one)])
        #expect(forgotten.exitStatus == .failure)
    }

    @Test func `many transfers are summed up in the end`() throws {
        var transfers = FollowedTransfers((1...5).map { TransferID(rawValue: $0) })
        _ = transfers.apply(try Samples.row(1, .completed(status: 200)))
        _ = transfers.apply(try Samples.row(2, .completed(status: 500)))
        _ = transfers.apply(try Samples.row(3, .failed(TransferFailure(.diskFull, "the disk is full"))))
        _ = transfers.apply(try Samples.row(4, .cancelled))
        _ = transfers.apply(.removed(TransferID(rawValue: 5)))
        #expect(transfers.summary == "5 transfers: 1 done, 2 failed, 1 cancelled, 1 forgotten")
    }

    @Test func `sentences say what, how far and how long`() throws {
        let running = try Samples.row(7, .running, done: 262_144, rate: 131_072)
        #expect(FollowLines.progressed(running) == "7: 25%, 256 KiB of 1.00 MiB, 128 KiB/s, 6s left")
        #expect(
            FollowLines.changed(running, now: noon).hasPrefix(
                "7: started, continuing at 256 KiB: https://files.example/in/big.iso?… → big.iso"
            )
        )
        let done = try Samples.row(7, .completed(status: 201), upload: true, done: 1_048_576)
        #expect(
            FollowLines.done(done)
                == "7: done: big.iso → https://files.example/in/big.iso?…, 1.00 MiB in 1:05, the server answered 201"
        )
        let waiting = try Samples.row(
            7,
            .retry(TransferFailure(.connectionLost, "the server closed the connection"), attempts: 2),
            nextLook: noon.addingTimeInterval(5)
        )
        let text = FollowLines.changed(waiting, now: noon)
        #expect(
            text.hasPrefix("7: waiting to try again after attempt 2: the server closed the connection; next check at ")
        )
    }

    @Test func `a failure says what happened, what to do and what the server wrote`() throws {
        let row = try Samples.row(7, .failed(TransferFailure(.httpStatus, "the server answered 404 Not Found")))
        #expect(
            FollowLines.failed(row, bodyStart: Array("no such\nfile\u{1B}[2J".utf8)) == [
                "7: failed: the server answered 404 Not Found: https://files.example/in/big.iso?… → big.iso",
                "    Check the URL, the method and the headers against what the server expects.",
                "    The server wrote:", "    | no such", "    | file\u{FFFD}[2J",
            ]
        )
    }

    @Test func `only the beginning of a body is shown, and only of text`() {
        #expect(
            FollowLines.bodyLines(Array((1...20).map { "line \($0)\n" }.joined().utf8), lines: 2) == [
                "line 1", "line 2", "…",
            ]
        )
        #expect(FollowLines.bodyLines([1, 0, 2]) == ["(3 bytes that are not text)"])
        #expect(FollowLines.bodyLines([]) == [])
        #expect(FollowLines.bodyLines(Array(String(repeating: "x", count: 500).utf8), width: 10) == ["xxxxxxxxx…"])
    }

    @Test func `what only the command's transfers can do is not advised for an app's`() throws {
        var transfer = try Samples.transfer(1, .paused, upload: true)
        func advice() -> String {
            let reason = Reason(cause: .failed(.init(.sourceMissing, "it is gone")), since: noon)
            let row = TransferRow(transfer: transfer, reason: reason, bytesDone: 0, bytesTotal: nil, rate: 0)
            return FollowLines.failed(row, bodyStart: [])[1]
        }
        #expect(advice().contains("offstage retry"))
        transfer.spec.owner = "org.example.app"
        #expect(advice() == "    Put the file back, then let the app hand it over again.")
    }

    @Test func `advice names the transfer`() throws {
        let reason = Reason(cause: .paused, since: noon)
        #expect(reason.advice(for: one) == "'offstage resume 1' continues it.")
        let credentials = Reason(cause: .credentials(host: "h"), since: noon)
        #expect(credentials.advice(for: one).hasPrefix("Give new ones: offstage header set 1 "))
    }
}
