// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// What a transfer records about a download in pieces.
@Suite struct TransferPiecesTests {
    private static let tag = PartialDownload.Validator.strongETag("\"x\"")

    private static func spans(_ ranges: Range<Int64>...) -> ByteSpans {
        ranges.reduce(into: ByteSpans()) { $0.insert($1) }
    }

    private func moment(_ seconds: Double, boot: String = "boot-1") -> Moment { Fixture.moment(seconds, boot: boot) }

    private func fresh(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> Transfer {
        var spec = try Fixture.download()
        spec.connection = ConnectionOptions()
        spec.connection?.connections = 4
        change(&spec)
        return Transfer(id: TransferID(rawValue: 1), spec: spec, now: moment(0))
    }

    /// A transfer whose first attempt, in boot-1, holds [0, 40) and [60, 80) of 100 bytes.
    private func divided(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> Transfer {
        var transfer = try fresh(change)
        _ = transfer.started(now: moment(1), offset: 0, file: FileIdentity(device: 1, inode: 2, size: 0, modified: 0))
        transfer.receiving(attempt: 1, validator: Self.tag, total: 100, bootID: "boot-1")
        transfer.holds(Self.spans(0..<40, 60..<80), attempt: 1, bootID: "boot-1")
        return transfer
    }

    private func end(_ transfer: inout Transfer, _ result: AttemptResult, reached: Int64) {
        _ = transfer.attemptEnded(
            attempt: transfer.attempts,
            result,
            reached: reached,
            now: moment(5),
            policy: RetryPolicy(baseDelay: 8, maximumDelay: 300),
            jitter: 1
        )
    }

    private func again(_ transfer: Transfer) throws -> Transfer {
        let json = try JSONEncoder().encode(TransferRecord(transfer))
        let place = TransferRecord.DecodingConfiguration(id: transfer.id, spec: transfer.spec)
        return try JSONDecoder().decode(TransferRecord.self, from: json, configuration: place).transfer
    }

    @Test func `a dialect's requests keep their number, and take no other option`() throws {
        var transfer = try fresh {
            $0.dialect = DialectSpec(name: S3Object.dialect, parameters: "{}", destination: "s3://b/k")
        }
        transfer.spec.connection?.retryDelay = 3
        try transfer.spec.validate()
        transfer.spec.connection?.acceptsAnyCertificate = true
        #expect(throws: RequestError.self) { try transfer.spec.validate() }
    }

    @Test func `a file from S3 has to have the digest that was stored with it`() throws {
        let stored = HeaderField(name: "x-amz-checksum-sha256", value: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        for (dialect, isExpected) in [("s3", true), (nil, false)] {
            var transfer = try fresh {
                $0.dialect = dialect.map { DialectSpec(name: $0, parameters: "{}", destination: "s3://b/k") }
            }
            _ = transfer.started(
                now: moment(1),
                offset: 0,
                file: FileIdentity(device: 1, inode: 2, size: 0, modified: 0)
            )
            end(&transfer, .answered(Answer(status: 200, headers: [stored])), reached: 5)
            #expect((Checksum(expectedOf: transfer) != nil) == isExpected)
        }
    }

    @Test func `only a plain GET of the command has several connections, and as many as its owner says`() throws {
        #expect(try schedule(fresh())?.most == 4)
        #expect(try schedule(fresh())?.growth == nil)
        #expect(try schedule(fresh { $0.method = "POST" }) == nil)
        #expect(try schedule(fresh { $0.sessionTask = SessionTaskKey(session: "s", task: 1) }) == nil)
        #expect(try schedule(fresh { $0.headers = [HeaderField(name: "range", value: "bytes=1-")] }) == nil)
        for (stored, used) in [(-5, nil), (0, nil), (1, nil), (16, 16), (17, 16), (Int.max, 16)] {
            #expect(try schedule(fresh { $0.connection?.connections = stored })?.most == used)
        }
        var upload = Transfer(id: TransferID(rawValue: 1), spec: try Fixture.upload(), now: moment(0))
        upload.spec.connection = ConnectionOptions()
        upload.spec.connection?.connections = 4
        #expect(schedule(upload) == nil)
    }

    @Test func `without a word of the owner one connection begins, and others may follow`() throws {
        let unasked = try fresh { $0.connection = nil }
        #expect(schedule(unasked)?.most == 1 && schedule(unasked)?.growth?.most == 6)
        // More connections would only share the limit.
        #expect(try schedule(fresh { ($0.connection, $0.rateLimit) = (nil, 1000) })?.growth?.most == 1)
        // Bytes that came over several connections are not fetched again.
        let held = Self.spans(0..<40, 60..<80)
        #expect(schedule(unasked, from: 40, held)?.most == 4)
        #expect(try schedule(fresh { ($0.connection, $0.rateLimit) = (nil, 1000) }, from: 40, held)?.most == 2)
        #expect(schedule(unasked, from: 40, Self.spans(0..<40))?.most == 1)
    }

    private func schedule(_ transfer: Transfer, from offset: Int64 = 0, _ held: ByteSpans = ByteSpans())
        -> PieceSchedule?
    {
        PieceSchedule(of: transfer, from: offset, held: held, mostOfHost: 6)
    }

    @Test(arguments: [-1, 0, 17, .max]) func `a client cannot ask for more than there are`(count: Int) throws {
        let spec = try fresh { $0.connection?.connections = count }.spec
        #expect(throws: RequestError.self) { try spec.validate() }
    }

    @Test func `the record holds the pieces`() throws {
        let transfer = try again(divided())
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1") == Self.spans(0..<40, 60..<80))
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-2").isEmpty == true, "nothing was synced")
    }

    @Test func `pieces of a broken attempt are held by the next one`() throws {
        var transfer = try divided()
        transfer.synced(Self.spans(0..<40), attempt: 1)
        end(&transfer, .failed(.init(.connectionLost, "it broke")), reached: 60)
        #expect(transfer.bytesDone == 60 && transfer.past.furthestByte == 60)
        transfer.state = .queued(since: moment(6).wall)
        let held = try #require(transfer.partial?.held(fileSize: 80, bootID: "boot-1"))
        _ = transfer.started(now: moment(7), offset: held.count, held: held)
        #expect(transfer.bytesDone == 60)
        transfer.receiving(attempt: 2, validator: Self.tag, total: 100, bootID: "boot-1")
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1") == held)
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-2").spans == [0..<40])
    }

    @Test func `pieces that came before the server refused one are progress, and go along to another address`() throws {
        let urls = try ["a", "b"].map { try RequestURL("https://\($0).example/file") }
        for (status, isOver) in [(503, false), (404, true)] {
            var transfer = try divided { spec in
                (spec.url, spec.mirrors, spec.statusPolicy) = (urls[0], MirrorList(urls), .retryTransientAndFailOnError)
                spec.direction = .download(.init(path: "/tmp/target", checksum: MirrorStage.checksum))
            }
            transfer.past.fruitless = 2
            end(&transfer, .answered(Answer(status: status)), reached: 60)
            #expect(transfer.bytesDone == 60 && transfer.history.last?.toByte == 60)
            #expect(transfer.spec.url == urls[isOver ? 1 : 0] && transfer.partial?.isAdopted == (isOver ? true : nil))
            #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1") == Self.spans(0..<40, 60..<80))
        }
    }

    @Test func `a file that cannot be opened for now costs nothing of what is kept`() throws {
        var transfer = try divided()
        end(&transfer, .failed(.init(.connectionLost, "it broke")), reached: 60)
        let known = transfer.partial
        for (code, isEnd) in [(TransferFailure.Code.daemonInterrupted, false), (.targetDirectoryMissing, true)] {
            transfer.state = .queued(since: moment(6).wall)
            let attempts = transfer.attempts
            let failure = TransferFailure(code, "it cannot be opened")
            let actions = transfer.couldNotBegin(failure, now: moment(7), policy: RetryPolicy(), jitter: 1)
            #expect(transfer.attempts == attempts + 1 && transfer.isFinished == isEnd)
            #expect(!actions.contains(.deletePartialFile))
            #expect(transfer.partial == known && transfer.bytesDone == 60 && transfer.partialFile != nil)
        }
        #expect(transfer.retry(now: moment(9)) != nil)
        #expect(transfer.bytesDone == 60)
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1") == Self.spans(0..<40, 60..<80))
    }

    @Test func `after a power loss only what was synced counts, in that boot and later`() throws {
        var transfer = try divided()
        transfer.synced(Self.spans(0..<30, 60..<70), attempt: 1)
        transfer = try again(transfer)
        _ = transfer.restored(now: moment(9, boot: "boot-2"))
        let held = try #require(transfer.partial?.held(fileSize: 80, bootID: "boot-2"))
        #expect(held == Self.spans(0..<30, 60..<70))
        _ = transfer.started(now: moment(10, boot: "boot-2"), offset: held.count, held: held)
        transfer.receiving(attempt: 2, validator: Self.tag, total: 100, bootID: "boot-2")
        // Bytes written but not synced in the first boot are not trusted just because the second boot has begun.
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-2") == held)
        transfer.holds(Self.spans(0..<35, 60..<70), attempt: 2, bootID: "boot-2")
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-3") == held)
    }

    @Test func `a late sync of an earlier attempt says nothing`() throws {
        var transfer = try divided()
        transfer.synced(Self.spans(0..<40), attempt: 7)
        transfer.holds(Self.spans(0..<100), attempt: 7, bootID: "boot-1")
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1") == Self.spans(0..<40, 60..<80))
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-2").isEmpty == true)
    }

    @Test func `a file whose pieces did not fit is fetched in one`() throws {
        var transfer = try divided()
        end(&transfer, .mustBeginAgain(serverIgnoresRanges: false), reached: 60)
        #expect(schedule(transfer) == nil && transfer.bytesDone == 0)
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1").isEmpty == true)
        _ = transfer.started(now: moment(7), offset: 0)
        transfer.receiving(attempt: 2, validator: Self.tag, total: 100, bootID: "boot-1")
        #expect(try schedule(again(transfer)) == nil)
        #expect(transfer.partial?.resumeOffset(fileSize: 50, bootID: "boot-1") == 50)
        var single = try fresh()
        _ = single.started(now: moment(1), offset: 0)
        single.receiving(attempt: 1, validator: Self.tag, total: 100, bootID: "boot-1")
        end(&single, .mustBeginAgain(serverIgnoresRanges: false), reached: 60)
        #expect(schedule(single)?.most == 4, "it had no pieces")
    }

    @Test func `a whole file in pieces counts as written while it is saved`() throws {
        var transfer = try divided()
        transfer.holds(Self.spans(0..<100), attempt: 1, bootID: "boot-1")
        end(&transfer, .answered(Answer(status: 200)), reached: 100)
        guard case .saving = transfer.state else { throw TestError("it is not being saved: \(transfer.state)") }
        #expect(transfer.holdsPartialFile(bootID: "boot-1") && !transfer.holdsPartialFile(bootID: "boot-2"))
    }

    @Test func `an app's resume data has no pieces`() throws {
        var partial = PartialDownload(validator: Self.tag, totalBytes: 100, bootID: "boot-1")
        partial.hold(Self.spans(0..<40, 60..<80), bootID: "boot-1")
        let transfer = try fresh {
            $0.resumesFrom = "0123456789abcdef0123456789abcdef"
            $0.resumePartial = partial
        }
        #expect(transfer.partial?.pieces == nil)
        #expect(transfer.partial?.held(fileSize: 80, bootID: "boot-1").isEmpty == true)
    }
}
