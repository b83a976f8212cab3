// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// How a transfer uses the name that its server gives the file.
@Suite struct RemoteNameTests {
    private func running(_ remoteName: TransferSpec.DownloadTarget.RemoteName? = .wanted) throws -> Transfer {
        var spec = try Fixture.download()
        var target = TransferSpec.DownloadTarget(path: "/home/me/get.php")
        target.remoteName = remoteName
        spec.direction = .download(target)
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        _ = transfer.started(now: Fixture.moment(10), offset: 0)
        return transfer
    }

    private func end(_ transfer: inout Transfer, _ answer: Answer) -> [TransferAction] {
        transfer.attemptEnded(
            attempt: 1,
            .answered(answer),
            reached: 3,
            now: Fixture.moment(10),
            policy: RetryPolicy(),
            jitter: 0
        )
    }

    private let disposition = HeaderField(name: "Content-Disposition", value: "attachment; filename=../disk.iso")

    @Test func `the answer's head names it, beside where it would be`() throws {
        var transfer = try running()
        let changes = [(1, "disk.iso"), (1, "disk.iso"), (2, "other"), (1, "newer.iso"), (1, nil)].map {
            transfer.named(attempt: $0, $1)
        }
        // The second changes nothing, and the third belongs to another attempt.
        #expect(changes == [true, false, false, true, false])
        #expect(transfer.spec.path == "/home/me/newer.iso", "what names nothing leaves the name as it is")
    }

    /// To Swift, a slash and the mark after it are one character, which is not a slash.
    @Test(arguments: ["\u{301}x", "\u{1F3FB}x", "\u{200D}x"])
    func `a name that begins with a mark stays in its folder, and so does the next`(name: String) throws {
        var transfer = try running()
        _ = transfer.named(attempt: 1, name)
        #expect(Array(transfer.spec.path.utf8) == Array("/home/me/\(name)".utf8))
        _ = transfer.named(attempt: 1, "report.pdf")
        #expect(transfer.spec.path == "/home/me/report.pdf")
    }

    @Test func `an answer without a name settles that of the URL`() throws {
        var transfer = try running()
        let isSettled = transfer.named(attempt: 1, nil)
        #expect(isSettled && transfer.spec.path == "/home/me/get.php")
    }

    @Test func `nobody who named a file gets another`() throws {
        var transfer = try running(nil)
        _ = transfer.named(attempt: 1, "disk.iso")
        _ = end(&transfer, Answer(status: 200, headers: [disposition]))
        #expect(transfer.spec.path == "/home/me/get.php")
    }

    @Test func `the whole answer names it, with the decision that it is saved`() throws {
        var transfer = try running()
        let actions = end(&transfer, Answer(status: 200, headers: [disposition]))
        #expect(actions == [.save])
        #expect(transfer.spec.path == "/home/me/disk.iso")
    }

    @Test func `the text of an error has no say`() throws {
        var transfer = try running()
        _ = end(&transfer, Answer(status: 404, headers: [disposition]))
        #expect(transfer.spec.path == "/home/me/get.php")
    }

    @Test func `a path that would be too long stays`() throws {
        var transfer = try running()
        let folder = "/" + String(repeating: "d/", count: 2045)
        var target = TransferSpec.DownloadTarget(path: folder + "a")
        target.remoteName = .wanted
        transfer.spec.direction = .download(target)
        _ = transfer.named(attempt: 1, String(repeating: "n", count: 255))
        #expect(transfer.spec.path == folder + "a")
    }

    @Test func `a name that is taken ends the transfer before more arrives`() throws {
        var transfer = try running()
        let failure = TransferFailure(.targetExists, "/home/me/disk.iso already exists")
        let late = transfer.targetRefused(failure, attempt: 2, now: Fixture.moment(10))
        #expect(late.isEmpty)
        let actions = transfer.targetRefused(failure, attempt: 1, now: Fixture.moment(10))
        #expect(actions.first == .stop && transfer.outcome == .failed(failure, nil))
        #expect(transfer.history.last?.failure == failure)
    }
}
