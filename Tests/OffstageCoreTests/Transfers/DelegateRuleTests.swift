// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Decisions that only an app can make about its session's tasks: what is asked when, and what an answer changes.
@Suite struct DelegateRuleTests {
    private static let now = Fixture.moment(10)
    private static let certificates = [Base64Bytes(bytes: [1, 2]), Base64Bytes(bytes: [3])]

    private func task(isUpload: Bool = false, begin: Double? = nil, asks: Bool? = nil) throws -> Transfer {
        var spec = isUpload ? try Fixture.upload() : try Fixture.download()
        spec.sessionTask = SessionTaskKey(session: "s", task: 1)
        spec.earliestBegin = begin.map { Fixture.start + $0 }
        spec.asksBeforeBegin = asks
        return Transfer(id: TransferID(rawValue: 1), spec: spec, now: Self.now)
    }

    private func challenge(_ method: Challenge.Method) -> Challenge {
        Challenge(method: method, host: "files.example.org", port: 443, isSecure: true)
    }

    private func challenged(_ method: Challenge.Method, isUpload: Bool = false) throws -> Transfer {
        var transfer = try task(isUpload: isUpload)
        _ = transfer.started(now: Self.now, offset: 0)
        let actions = meet(challenge(method), &transfer)
        #expect(actions == [.askDelegate(.challenge(challenge(method)))])
        return transfer
    }

    private func meet(_ challenge: Challenge, _ transfer: inout Transfer) -> [TransferAction] {
        transfer.attemptEnded(
            attempt: transfer.attempts,
            .challenged(challenge),
            reached: 5,
            now: Self.now,
            policy: RetryPolicy(),
            jitter: 0
        )
    }

    // Before it begins.

    @Test(arguments: [-500, 10] as [Double])
    func `a date that has passed counts as a date: the app is asked at once`(date: Double) throws {
        var transfer = try task(begin: date, asks: true)
        let deadline = Deadline(setAt: Self.now, delay: 1000)
        #expect(transfer.state.kind == .waiting)
        #expect(transfer.restored(now: Self.now) == [.askDelegate(.willBeginDelayedRequest), .wake(deadline)])
        #expect(transfer.expiry == deadline)
    }

    @Test func `without a date nobody is asked`() throws {
        var transfer = try task(asks: true)
        #expect(transfer.restored(now: Self.now).first == .enqueue)
    }

    @Test(arguments: [nil, false] as [Bool?])
    func `an app without that method is not asked`(asks: Bool?) throws {
        var transfer = try task(begin: 500, asks: asks)
        #expect(transfer.woken(now: Fixture.moment(500)).first == .enqueue)
        #expect(try task(begin: -500, asks: asks).state.kind == .queued)
    }

    @Test func `the app is asked at the date, and its time runs from then on`() throws {
        var transfer = try task(begin: 500, asks: true)
        #expect(transfer.expiry == nil)
        #expect(transfer.woken(now: Fixture.moment(499)) == [.wakeAt(Fixture.start + 500)])
        let deadline = Deadline(setAt: Fixture.moment(500), delay: 1000)
        let actions = transfer.woken(now: Fixture.moment(500))
        #expect(actions == [.askDelegate(.willBeginDelayedRequest), .wake(deadline)])
        #expect(transfer.woken(now: Fixture.moment(600)) == [])
        #expect(transfer.delegateAnswered(.continueLoading, now: Fixture.moment(700)) == [.enqueue])
        #expect(transfer.expiry == deadline)
    }

    @Test func `a person who does not want to wait for the date does not decide for the app`() throws {
        var transfer = try task(begin: 500, asks: true)
        let actions = transfer.retry(now: Self.now)
        #expect(actions?.first == .askDelegate(.willBeginDelayedRequest))
        #expect(transfer.retry(now: Self.now) == nil)
    }

    @Test func `a pause does not answer the question`() throws {
        var transfer = try task(begin: 0, asks: true)
        #expect(transfer.pause(reached: 0, now: Fixture.moment(110)) == [])
        #expect(transfer.delegateAnswered(.continueLoading, now: Fixture.moment(120)) == nil)
        let actions = transfer.resume(now: Fixture.moment(5000))
        let deadline = Deadline(setAt: Fixture.moment(5000), delay: 900)
        #expect(actions == [.askDelegate(.willBeginDelayedRequest), .wake(deadline)])
    }

    @Test func `a pause until after the date does not let it begin unasked`() throws {
        var transfer = try task(begin: 500, asks: true)
        #expect(transfer.pause(reached: 0, now: Self.now) == [])
        let actions = transfer.resume(now: Fixture.moment(600))
        #expect(actions?.first == .askDelegate(.willBeginDelayedRequest))
    }

    @Test func `the question is asked once`() throws {
        var transfer = try task(begin: 0, asks: true)
        _ = transfer.delegateAnswered(.continueLoading, now: Self.now)
        _ = transfer.pause(reached: 0, now: Self.now)
        #expect(transfer.resume(now: Self.now)?.first == .enqueue)
    }

    @Test func `another request takes the place of the first`() throws {
        var transfer = try task(isUpload: true, begin: 0, asks: true)
        let url = try RequestURL("http://other.example.org/b")
        let fields = [HeaderField(name: "A", value: "b")]
        let answer = DelegateAnswer.useNewRequest(url: url, method: "POST", headers: fields)
        #expect(transfer.delegateAnswered(answer, now: Self.now) == [.enqueue])
        #expect(transfer.spec.url == url)
        #expect(transfer.spec.method == "POST")
        #expect(transfer.spec.headers == fields)
    }

    // Challenges.

    private static let methods: [Challenge.Method] = [
        .httpBasic, .httpDigest, .serverTrust(certificates: certificates),
    ]

    @Test(arguments: methods, [false, true])
    func `every challenge is asked, and asked again by the next daemon`(
        method: Challenge.Method,
        isUpload: Bool
    ) throws {
        var transfer = try challenged(method, isUpload: isUpload)
        #expect(transfer.history.count == 1)
        #expect(transfer.bytesDone == 0)
        let again = transfer.restored(now: Fixture.moment(20))
        #expect(again.first == .askDelegate(.challenge(challenge(method))))
        #expect(transfer.delegateAnswered(.cancel, now: Self.now)?.last == .deliver(.cancelled))
        #expect(transfer.outcome == .cancelled)
    }

    @Test func `what was there before a challenge stays there`() throws {
        var transfer = try task()
        transfer.partial = PartialDownload(validator: .strongETag("x"), totalBytes: 100, bootID: "boot-1")
        _ = transfer.started(now: Self.now, offset: 40)
        _ = meet(challenge(.httpBasic), &transfer)
        #expect(transfer.bytesDone == 40)
        #expect(transfer.partial?.validator == .strongETag("x"))
    }

    @Test func `passwords that did not help are counted`() throws {
        var transfer = try challenged(.serverTrust(certificates: Self.certificates))
        #expect(transfer.delegateAnswered(.trustKey("sha256//k"), now: Self.now) == [.enqueue])
        #expect(transfer.spec.pinnedKey == "sha256//k")
        for failures in 0..<3 {
            _ = transfer.started(now: Self.now, offset: 0)
            var expected = challenge(.httpDigest)
            expected.previousFailures = failures
            #expect(meet(challenge(.httpDigest), &transfer) == [.askDelegate(.challenge(expected))])
            let answer = DelegateAnswer.credential(user: "ann", password: "\(failures)")
            #expect(transfer.delegateAnswered(answer, now: Self.now) == [.enqueue])
            #expect(transfer.spec.credentials == .init(user: "ann", password: "\(failures)", isForDigest: true))
        }
    }

    @Test func `the default is tried without asking again`() throws {
        var transfer = try challenged(.httpBasic)
        #expect(transfer.delegateAnswered(.performDefaultHandling, now: Self.now) == [.enqueue])
        #expect(transfer.spec.handlesChallengesByDefault == true)
        #expect(transfer.spec.credentials == nil)
    }

    @Test func `after a pause the server is met again`() throws {
        var transfer = try challenged(.httpBasic)
        _ = transfer.pause(reached: 0, now: Self.now)
        #expect(transfer.resume(now: Self.now)?.first == .enqueue)
    }

    // What outlives a download.

    private func download(_ change: (inout Transfer) -> Void = { _ in }) throws -> Transfer {
        var transfer = try TransferStage.waitingForRetry.transfer(isUpload: false, isSession: true)
        change(&transfer)
        return transfer
    }

    @Test func `resume data tells what another download needs`() throws {
        var transfer = try download()
        let actions = transfer.cancelProducingResumeData(now: Self.now)
        #expect(actions == [.keepPartialFile, .deletePartialFile, .deliver(.cancelled)])
        transfer.keptForResuming(as: "a1", bytes: 40)
        let kept = try #require(transfer.resumeData?.ofDownload)
        #expect(kept.token == "a1")
        #expect(kept.bytes == 40)
        #expect(kept.url == transfer.spec.url)
        #expect(kept.partial.resumeOffset(fileSize: 40, bootID: "another") == 40)
        var spec = try Fixture.download()
        spec.resumesFrom = kept.token
        spec.resumePartial = kept.partial
        var next = Transfer(id: TransferID(rawValue: 2), spec: spec, now: Self.now)
        #expect(next.partial == kept.partial)
        #expect(try JSONDecoder().decode(ResumeData.self, from: JSONEncoder().encode(kept)) == kept)
        #expect(try stored(transfer) == transfer)
        #expect(TransferRecord(next).isFresh)
        #expect(try stored(next) == next)
        next.partial = nil
        #expect(try stored(next) == next)
    }

    /// The transfer as a later daemon reads it.
    private func stored(_ transfer: Transfer) throws -> Transfer {
        try JSONDecoder().decode(
            TransferRecord.self,
            from: JSONEncoder().encode(TransferRecord(transfer)),
            configuration: .init(id: transfer.id, spec: transfer.spec)
        ).transfer
    }

    @Test func `nothing is kept that could not be gone on with`() throws {
        let unfit: [(inout Transfer) -> Void] = [
            { $0.partial = nil }, { $0.partial?.validator = nil }, { $0.partial?.serverIgnoresRanges = true },
            { $0.spec.method = "POST" }, { $0.spec.sessionTask = nil },
        ]
        for change in unfit {
            var transfer = try download(change)
            let actions = transfer.cancelProducingResumeData(now: Self.now)
            #expect(actions == [.deletePartialFile, .deliver(.cancelled)])
        }
    }

    @Test func `an empty file is no resume data`() throws {
        var transfer = try download()
        transfer.keptForResuming(as: "a1", bytes: 0)
        #expect(transfer.resumeData == nil)
    }

    @Test func `an attempt from byte 0 knows nothing of its file until the server has said what it is`() throws {
        var transfer = try download { $0.state = .queued(since: Fixture.start) }
        _ = transfer.started(now: Self.now, offset: 0)
        #expect(transfer.cancelProducingResumeData(now: Self.now)?.contains(.keepPartialFile) == false)
    }

    // What a client may send.

    @Test(arguments: [
        "", "key", "/etc/passwd", "sha256//", "sha256//ab", "sha256//" + String(repeating: ";", count: 44),
    ])
    func `what is no key is refused`(key: String) throws {
        var spec = try Fixture.download()
        spec.pinnedKey = key
        #expect(throws: RequestError.self) { try spec.validate() }
    }

    @Test func `a key is accepted`() throws {
        var spec = try Fixture.download()
        spec.pinnedKey = "sha256//" + String(repeating: "a", count: 43) + "="
        spec.resumesFrom = "0123456789abcdef"
        try spec.validate()
    }

    @Test(arguments: ["", "..", "a/b", "A1", "x", String(repeating: "a", count: 65)])
    func `what is no token is refused`(token: String) throws {
        var spec = try Fixture.download()
        spec.resumesFrom = token
        #expect(throws: RequestError.self) { try spec.validate() }
    }
}
