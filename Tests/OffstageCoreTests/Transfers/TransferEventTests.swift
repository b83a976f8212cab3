// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Behaviour that the table of states does not show: counters, history, bytes, partial files and time.
@Suite struct TransferEventTests {
    private let now = Fixture.moment(10)
    private let policy = RetryPolicy(baseDelay: 8, maximumDelay: 300)

    private func end(_ transfer: inout Transfer, _ result: AttemptResult, reached: Int64, at moment: Moment? = nil)
        -> [TransferAction]
    {
        transfer.attemptEnded(
            attempt: transfer.attempts,
            result,
            reached: reached,
            now: moment ?? now,
            policy: policy,
            jitter: 1
        )
    }

    @Test func `a new transfer is in line at once, or waits for its date`() throws {
        let spec = try Fixture.download()
        let plain = Transfer(id: TransferID(rawValue: 1), spec: spec, now: now)
        #expect(plain.state == .queued(since: now.wall))
        #expect(plain.expiry == Deadline(setAt: now, delay: 1000))
        var later = spec
        later.earliestBegin = now.wall + 1
        let waiting = Transfer(id: TransferID(rawValue: 1), spec: later, now: now)
        #expect(waiting.state.kind == .waiting)
        #expect(waiting.expiry == nil)
        later.earliestBegin = now.wall
        #expect(Transfer(id: TransferID(rawValue: 1), spec: later, now: now).state.kind == .queued)
        #expect(Transfer(id: TransferID(rawValue: 1), spec: try Fixture.upload(), now: now).bytesTotal == 300)
    }

    @Test(arguments: [
        (413, "Content Too Large"), (415, "Unsupported Media Type"), (416, "Range Not Satisfiable"), (423, "Locked"),
        (451, "Unavailable For Legal Reasons"), (501, "Not Implemented"),
    ])
    func `a status that ends an upload is named, and has its advice`(status: Int, phrase: String) throws {
        var transfer = try TransferStage.running.transfer(isUpload: true)
        transfer.spec.statusPolicy = .retryTransientAndFailOnError
        _ = end(&transfer, .answered(Answer(status: status)), reached: 300)
        let failure = try #require(transfer.lastFailure)
        #expect(failure.detail == "the server answered \(status) \(phrase)")
        #expect(failure.status == status && failure.advice != TransferFailure(failure.code, "").advice)
    }

    @Test func `who wants the password of a proxy is that proxy`() throws {
        for proxy in ["http://ann:secret@proxy.example:3128", nil] {
            var transfer = try TransferStage.running.transfer(isUpload: true)
            transfer.spec.statusPolicy = .retryTransientAndFailOnError
            transfer.spec.proxy = .init(all: proxy)
            _ = end(&transfer, .answered(Answer(status: 407)), reached: 300)
            let failure = try #require(transfer.lastFailure)
            let who = proxy == nil ? "the server" : "the proxy proxy.example:3128"
            #expect(failure.detail == "\(who) answered 407 Proxy Authentication Required")
            #expect(failure.advice.contains("--proxy-user NAME:PASSWORD"))
        }
    }

    @Test func `an attempt that died with the daemon is on record, and not a failure of its own`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        _ = transfer.restored(now: now)
        #expect(transfer.history.map(\.failure?.code) == [.daemonInterrupted])
        #expect(transfer.history.map(\.toByte) == [40])
        #expect(transfer.past.retries == 0)
        #expect(transfer.bytesDone == 40)
        var upload = try TransferStage.running.transfer(isUpload: true)
        upload.bytesDone = 200
        _ = upload.restored(now: now)
        #expect(upload.bytesDone == 0)
    }

    @Test func `attempts are counted over the whole life, and only the latest are kept`() throws {
        var transfer = try TransferStage.queued.transfer(isUpload: false)
        for round in 0..<20 {
            let moment = Fixture.moment(Double(round))
            #expect(transfer.started(now: moment, offset: 0) == [.begin(attempt: round + 2)])
            _ = transfer.networkLost(reached: 5, now: moment)
        }
        #expect(transfer.attempts == 21)
        #expect(transfer.history.map(\.number) == Array(14...21))
        #expect(transfer.past.retries == 0)
        #expect(transfer.past.fruitless == 0)
    }

    @Test func `an attempt that gets further makes the next wait short again`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        var waits: [Double] = []
        for reached in [50, 50, 40, 60, 60] as [Int64] {
            _ = end(&transfer, .failed(TransferStage.failure), reached: reached)
            guard case .waiting(let wait) = transfer.state, case .retry(_, let deadline) = wait.cause else { continue }
            waits.append(deadline.delay)
            _ = transfer.retry(now: now)
            _ = transfer.started(now: now, offset: 0)
        }
        #expect(waits == [8, 16, 32, 8, 16])
        #expect(transfer.past.retries == 5)
        #expect(transfer.past.furthestByte == 60)
    }

    @Test func `a dialect's upload that has to begin anew gets further all the same`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: true)
        transfer.spec.dialect = DialectSpec(name: "dropbox", parameters: "{}", destination: "dropbox:/a")
        var waits: [Double] = []
        // The server has 900 bytes and loses them; then it gets to 100, to 200, and no further.
        for (offset, reached) in [(0, 900), (900, 0), (0, 100), (100, 200), (200, 200)] as [(Int64, Int64)] {
            if case .queued = transfer.state { _ = transfer.started(now: now, offset: offset) }
            _ = end(&transfer, .failed(TransferStage.failure), reached: reached)
            guard case .waiting(let wait) = transfer.state, case .retry(_, let deadline) = wait.cause else { continue }
            waits.append(deadline.delay)
            _ = transfer.retry(now: now)
        }
        #expect(waits == [8, 16, 8, 8, 16])
    }

    @Test func `as many retries as were asked for are made, and no more`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.spec.maximumRetries = 2
        for _ in 0..<2 {
            #expect(end(&transfer, .failed(TransferStage.failure), reached: 0).count == 1)
            _ = transfer.retry(now: now)
            _ = transfer.started(now: now, offset: 0)
        }
        _ = end(&transfer, .failed(TransferStage.failure), reached: 0)
        #expect(transfer.outcome == .failed(TransferStage.failure, nil))
        #expect(transfer.history.count == 3)
    }

    @Test func `a server that never answered is given up, one that has is not`() throws {
        for answered in [false, true] {
            var transfer = try TransferStage.running.transfer(isUpload: true)
            transfer.spec.maximumAttemptsBeforeFirstAnswer = 1
            transfer.past.hasBeenAnswered = answered
            _ = end(&transfer, .failed(TransferFailure(.cannotConnect, "refused")), reached: 0)
            #expect(transfer.isFinished == !answered)
        }
    }

    @Test func `a plain upload begins again at byte 0 and says so`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: true)
        _ = end(&transfer, .failed(TransferStage.failure), reached: 200)
        #expect(transfer.bytesDone == 0)
        #expect(transfer.history.last?.toByte == 200)
        #expect(transfer.past.furthestByte == 200)
    }

    @Test func `Retry-After of an answer is heeded`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.spec.statusPolicy = .retryTransientAndFailOnError
        let answer = Answer(status: 503, headers: [HeaderField(name: "retry-after", value: "77")])
        #expect(end(&transfer, .answered(answer), reached: 9) == [.wake(Deadline(setAt: now, delay: 77))])
        #expect(transfer.lastFailure?.detail == "the server answered 503 Service Unavailable")
        // The error's body is not part of the file.
        #expect(transfer.bytesDone == 20)
        #expect(transfer.history.last?.toByte == 20)
    }

    @Test func `a parked 401 keeps what was there of a download`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.spec.unauthorizedPolicy = .waitForCredentials
        #expect(end(&transfer, .answered(Answer(status: 401)), reached: 9) == [.askForCredentials])
        #expect(transfer.bytesDone == 20)
        #expect(transfer.partial?.validator != nil)
        #expect(transfer.expiry != nil)
    }

    @Test func `an account that is gone ends a transfer, or is waited for by one that its owner lets wait`() throws {
        let failure = TransferFailure.noAccount("work")
        var ends = try TransferStage.running.transfer(isUpload: true)
        _ = end(&ends, .failed(failure), reached: 9)
        #expect(ends.outcome == .failed(failure, nil) && ends.accountAdded(now: now) == nil)
        var waits = try TransferStage.running.transfer(isUpload: true)
        waits.spec.unauthorizedPolicy = .waitForCredentials
        let look = TransferAction.wake(Deadline(setAt: now, delay: 600))
        #expect(end(&waits, .failed(failure), reached: 9) == [look])
        let state = TransferState.waiting(.init(cause: .account(failure), since: now.wall))
        #expect(waits.state == state && waits.lastFailure == failure && waits.expiry != nil)
        #expect(waits.woken(now: now) == [look] && waits.setHeaders([], now: now)?.isEmpty == true)
        // It looks again, even if the wall clock was set to another time.
        for seconds in [600.0, 100_000, -100_000] {
            var looks = waits
            let later = Moment(wall: now.wall.addingTimeInterval(seconds), bootID: now.bootID, uptime: now.uptime + 600)
            #expect(looks.woken(now: later) == [.enqueue] && looks.state.kind == .queued)
        }
        var restored = waits
        #expect(restored.restored(now: now).first == .enqueue && restored.state.kind == .queued)
        var retried = waits
        #expect(retried.retry(now: now) == [.enqueue])
        #expect(waits.accountAdded(now: now) == [.enqueue] && waits.state == .queued(since: now.wall))
        #expect(waits.accountAdded(now: now) == nil)
    }

    @Test func `a file that has changed is fetched anew, without counting as a retry`() throws {
        for ignores in [false, true] {
            var transfer = try TransferStage.running.transfer(isUpload: false)
            _ = end(&transfer, .mustBeginAgain(serverIgnoresRanges: ignores), reached: 0)
            #expect(transfer.past.retries == 0)
            #expect(transfer.bytesDone == 0)
            #expect(transfer.partial?.resumeOffset(fileSize: 40, bootID: "boot-1") == 0)
            #expect(transfer.partial?.serverIgnoresRanges == ignores)
            _ = transfer.started(now: now, offset: 0)
            transfer.receiving(attempt: 2, validator: .strongETag("\"y\""), total: 80, bootID: "boot-1")
            #expect(transfer.partial?.serverIgnoresRanges == ignores)
        }
    }

    @Test func `a file that changes with each attempt is fetched anew at once, and then ever later`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        var waits: [Double] = []
        for _ in 1...8 {
            let actions = end(&transfer, .mustBeginAgain(serverIgnoresRanges: false), reached: 50)
            if case .waiting(let wait) = transfer.state, case .retry(let failure, let deadline) = wait.cause {
                waits.append(deadline.delay)
                #expect(actions == [.wake(deadline)] && transfer.lastFailure == failure)
                #expect(failure.detail.contains("changes with each attempt"))
                _ = transfer.woken(now: Fixture.moment(500))
            } else {
                waits.append(0)
                #expect(actions == [.enqueue] && transfer.history.last?.failure?.detail.contains("changed") == true)
            }
            #expect(transfer.bytesDone == 0)
            // The connection breaks halfway, and the next attempt finds another file.
            _ = transfer.started(now: now, offset: 0)
            _ = end(&transfer, .failed(TransferStage.failure), reached: 50)
            _ = NetworkReturn().apply(to: &transfer, now: now)
            _ = transfer.started(now: now, offset: 50)
        }
        #expect(waits == [0, 8, 16, 32, 64, 128, 256, 300])
    }

    @Test func `only a person makes up for files that changed`() throws {
        func restarts(_ stage: TransferStage, after event: (inout Transfer) -> [TransferAction]?) throws -> Int {
            var transfer = try stage.transfer(isUpload: false)
            transfer.past.restarts = 4
            let actions = event(&transfer)
            #expect(actions != nil, "\(stage)")
            return transfer.past.restarts
        }
        #expect(try restarts(.paused) { $0.resume(now: now) } == 0)
        for stage in [TransferStage.waitingForRetry, .waitingForCredentials, .failed, .cancelled] {
            #expect(try restarts(stage) { $0.retry(now: now) } == 0)
        }
        #expect(try restarts(.waitingForRetry) { $0.resume(now: now) } == 0)
        #expect(try restarts(.waitingForRetry) { $0.woken(now: Fixture.moment(100)) } == 4)
        #expect(try restarts(.waitingForRetry) { NetworkReturn().apply(to: &$0, now: now) } == 4)
        for stage in [TransferStage.running, .waitingForRetry] {
            #expect(try restarts(stage) { $0.restored(now: now) } == 4)
        }
        #expect(try restarts(.queued) { $0.started(now: now, offset: 40) } == 4)
        #expect(try restarts(.running) { $0.networkLost(reached: 60, now: now) } == 4)
    }

    @Test func `bytes that were synced before count only where they have not been written anew`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.receiving(attempt: 1, validator: .strongETag("\"x\""), total: 100, bootID: "boot-2")
        #expect(transfer.partial?.syncedBytes == 20)
        #expect(transfer.partial?.bootID == "boot-2")
        transfer.progressed(attempt: 1, done: 60, total: nil, synced: 50)
        #expect(transfer.partial?.syncedBytes == 50)
        #expect(transfer.bytesDone == 60)
        #expect(transfer.bytesTotal == 100)
        transfer.receiving(attempt: 1, validator: .strongETag("\"z\""), total: nil, bootID: "boot-2")
        #expect(transfer.partial?.syncedBytes == 0)
        #expect(transfer.bytesTotal == nil)
    }

    @Test func `a timeout says what was in the way, and the attempt it broke off is on record`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.past.lastFailure = TransferStage.failure
        _ = transfer.woken(now: Fixture.moment(1000))
        guard case .failed(let failure, nil)? = transfer.outcome else {
            Issue.record("not failed")
            return
        }
        let words = "it was not completed within 17 min; the last attempt failed because the connection broke"
        #expect(failure.detail == words)
        #expect(transfer.history.map(\.number) == [1])
        #expect(transfer.history.map(\.toByte) == [40])
    }

    @Test func `the timeout stands still while paused, and runs across a reboot`() throws {
        var transfer = try TransferStage.queued.transfer(isUpload: false)
        _ = transfer.pause(reached: 0, now: Fixture.moment(400))
        _ = transfer.woken(now: Fixture.moment(5000))
        #expect(transfer.state.kind == .paused)
        _ = transfer.resume(now: Fixture.moment(9000))
        #expect(transfer.expiry == Deadline(setAt: Fixture.moment(9000), delay: 600))
        #expect(transfer.woken(now: Fixture.moment(9599, boot: "boot-2")).isEmpty)
        _ = transfer.woken(now: Fixture.moment(9600, boot: "boot-2"))
        #expect(transfer.isFinished)
    }

    @Test func `a jump of the clock moves dates and no durations`() throws {
        var jumped = Fixture.moment(10)
        jumped.wall += 1e6
        var retry = try TransferStage.waitingForRetry.transfer(isUpload: false)
        #expect(retry.woken(now: jumped) == [.wake(Deadline(setAt: Fixture.moment(0), delay: 60))])
        var date = try TransferStage.waitingForDate.transfer(isUpload: false)
        #expect(date.woken(now: jumped).first == .enqueue)
        #expect(date.expiry?.remaining(at: jumped) == 1000)
    }

    @Test func `a retry by hand of what waits for the machine no longer waits for it`() throws {
        var transfer = try TransferStage.queued.transfer(isUpload: true)
        transfer.spec.needs = [.noExpensive, .goodMoment]
        #expect(transfer.retry(now: now) == [.dequeue, .enqueue])
        #expect(transfer.spec.needs.isEmpty)
        #expect(transfer.retry(now: now) == nil)
    }

    @Test func `a retry by hand begins anew, and goes on with what was kept`() throws {
        var failed = try TransferStage.failed.transfer(isUpload: false)
        failed.past.retries = 4
        failed.past.fruitless = 3
        failed.past.furthestByte = 40
        _ = failed.retry(now: now)
        #expect(failed.past.retries == 0 && failed.past.fruitless == 0 && failed.lastFailure == nil)
        #expect(failed.partial?.validator != nil)
        #expect(failed.bytesDone == 40)
        #expect(failed.attempts == 1)
        for outcome in [.cancelled, .failed(TransferFailure(.checksumMismatch, "it differs"), nil)] as [TransferOutcome]
        {
            var gone = try TransferStage.failed.transfer(isUpload: false)
            gone.state = .finished(outcome, at: now)
            gone.past.furthestByte = 40
            _ = gone.retry(now: now)
            #expect(gone.partial == nil)
            #expect(gone.bytesDone == 0 && gone.past.furthestByte == 0)
        }
    }

    @Test func `the wait before a retry is as long as the owner says`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.spec.connection = ConnectionOptions()
        transfer.spec.connection?.retryDelay = 77
        let actions = end(&transfer, .failed(TransferFailure(.connectionLost, "it broke")), reached: 60)
        #expect(actions.contains(.wake(Deadline(setAt: now, delay: 77))), "\(actions)")
    }

    @Test(arguments: [-1, .nan, .infinity, 1e9]) func `a wait between attempts is bounded`(seconds: Double) throws {
        var spec = try TransferStage.running.transfer(isUpload: false).spec
        spec.connection = ConnectionOptions()
        spec.connection?.retryDelay = seconds
        #expect(throws: RequestError.self) { try spec.validate() }
        spec.connection = ConnectionOptions()
        spec.connection?.mostRedirects = seconds == -1 ? -1 : 51
        #expect(throws: RequestError.self) { try spec.validate() }
        spec.connection = ConnectionOptions()
        spec.connection?.ipVersion = 5
        #expect(throws: RequestError.self) { try spec.validate() }
    }

    @Test func `a partial file that cannot be resumed does not outlive a failure`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.partial?.validator = nil
        let actions = end(&transfer, .failed(TransferFailure(.diskFull, "no space")), reached: 60)
        #expect(actions.first == .deletePartialFile)
    }

    @Test func `new headers replace those of the same name, whatever their case`() throws {
        var transfer = try TransferStage.waitingForCredentials.transfer(isUpload: false)
        transfer.spec.headers = [HeaderField(name: "authorization", value: "old"), HeaderField(name: "A", value: "b")]
        let new = HeaderField(name: "Authorization", value: "new")
        #expect(transfer.setHeaders([new], now: now) == [.enqueue])
        #expect(transfer.spec.headers == [HeaderField(name: "A", value: "b"), new])
    }

    @Test func `a pause keeps what has arrived of a download and nothing of an upload`() throws {
        var download = try TransferStage.running.transfer(isUpload: false)
        _ = download.pause(reached: 66, now: now)
        #expect(download.bytesDone == 66)
        #expect(download.history.map(\.toByte) == [66])
        var upload = try TransferStage.running.transfer(isUpload: true)
        _ = upload.pause(reached: 66, now: now)
        #expect(upload.bytesDone == 0)
    }

    @Test func `a transfer that is resumed before its date waits for it again`() throws {
        var transfer = try TransferStage.paused.transfer(isUpload: false)
        transfer.spec.earliestBegin = TransferStage.beginDate
        #expect(transfer.resume(now: now) == [.wakeAt(TransferStage.beginDate)])
        #expect(transfer.state.kind == .waiting)
    }

    private static let durations: [(Double, String)] = [
        (0, "0 s"), (0.25, "0.3 s"), (5, "5 s"), (9.97, "10 s"), (60, "60 s"), (119.4, "119 s"), (120, "2 min"),
        (7199, "120 min"),
        (7200, "2 h"), (172_800, "2 days"), (604_800, "7 days"), (1e300, "1000000000000000 days"),
        (.infinity, "1000000000000000 days"),
    ]

    @Test(arguments: durations) func `durations are words`(seconds: Double, text: String) {
        #expect(String(duration: seconds) == text)
    }
}
