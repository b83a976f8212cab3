// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Requests that must not be sent twice.
@Suite struct RepetitionTests {
    private static let unsent: Set<TransferFailure.Code> = [
        .cannotFindHost, .cannotConnect, .proxyFailed, .secureConnectionFailed, .certificateRejected, .tooManyRedirects,
        .redirectRefused, .httpStatus, .unauthorized, .accountUnusable, .accessKeyRefused, .keyCommandFailed,
        .destinationConflict, .destinationRefused, .quotaExceeded, .sourceMissing, .sourceUnreadable,
        .sourceIsDirectory,
        .sourceChanged, .targetExists, .targetDirectoryMissing, .targetNotWritable, .certificateFileUnreadable,
        .requestTooLarge,
    ]

    private static func transfer(after failures: [TransferFailure?]) throws -> Transfer {
        var spec = try Fixture.upload()
        spec.isSentOnce = true
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        for failure in failures {
            let attempt = TransferState.Attempt(number: 1, startedAt: Fixture.moment(0), offset: 0)
            transfer.past.record(attempt, endedAt: Fixture.moment(1), reached: 0, failure: failure)
        }
        return transfer
    }

    @Test(arguments: TransferFailure.Code.allCases)
    func `after a failure the request is sent again only if nothing can have arrived`(code: TransferFailure.Code) throws
    {
        let transfer = try Self.transfer(after: [TransferFailure(code, "it failed")])
        let refusal = TransferFailure.repetition(of: transfer)
        #expect((refusal == nil) == Self.unsent.contains(code))
        #expect(
            refusal.map { $0.code == .commitUncertain && $0.detail.hasSuffix("must not be sent twice: it failed") }
                ?? true
        )
    }

    @Test(arguments: [(408, true), (429, true), (503, true), (500, false), (502, false), (504, false), (599, false)])
    func `an answer that asks for patience says that nothing was done`(status: Int, isRepeated: Bool) throws {
        let transfer = try Self.transfer(after: [TransferFailure(.serverBusy, "it is busy", status: status)])
        #expect((TransferFailure.repetition(of: transfer) == nil) == isRepeated)
    }

    @Test func `an attempt that was stopped under way may have arrived, and is not forgotten for one that did not`()
        throws
    {
        #expect(TransferFailure.repetition(of: try Self.transfer(after: [])) == nil)
        let unreached = TransferFailure(.cannotConnect, "nothing listens")
        for failures in [[nil], [nil, unreached], [unreached, nil]] {
            let refusal = TransferFailure.repetition(of: try Self.transfer(after: failures))
            #expect(refusal?.detail.hasSuffix("the attempt was stopped under way") == true)
        }
    }

    @Test func `others, and uploads whose server says where they stand, are repeated`() throws {
        var transfer = try Self.transfer(after: [TransferFailure(.connectionLost, "it broke")])
        transfer.dialectMemory = Array("{}".utf8)
        #expect(TransferFailure.repetition(of: transfer) == nil)
        // A plain upload remembers only that the file was not there before.
        transfer.dialectMemory = [1]
        #expect(TransferFailure.repetition(of: transfer)?.code == .commitUncertain)
        transfer.dialectMemory = nil
        transfer.spec.isSentOnce = nil
        #expect(TransferFailure.repetition(of: transfer) == nil)
    }

    @Test func `a person who retries it has decided`() throws {
        var transfer = try Self.transfer(after: [TransferFailure(.connectionLost, "it broke")])
        transfer.state = .finished(
            .failed(TransferFailure(.commitUncertain, "it is unknown"), nil),
            at: Fixture.moment(2)
        )
        #expect(transfer.retry(now: Fixture.moment(3)) != nil)
        #expect(TransferFailure.repetition(of: transfer) == nil)
    }
}
