// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// The events of `TransferTableTests` restore every state from a record; these tests cover what they do not reach.
@Suite struct TransferRecordTests {
    /// The transfer restored from its record, on which both ways of writing must agree.
    private func again(_ transfer: Transfer) throws -> Transfer {
        let record = TransferRecord(transfer)
        let (usual, direct) = (try JSONEncoder().encode(record), Data(try record.json()))
        #expect(
            try JSONDecoder().decode(JSONValue.self, from: direct) == JSONDecoder().decode(JSONValue.self, from: usual)
        )
        return try decoded(direct, id: transfer.id, spec: transfer.spec)
    }

    private func decoded(_ json: Data, id: TransferID = TransferID(rawValue: 1), spec: TransferSpec) throws -> Transfer
    {
        try JSONDecoder().decode(TransferRecord.self, from: json, configuration: .init(id: id, spec: spec)).transfer
    }

    private func fresh(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> Transfer {
        var spec = try Fixture.upload()
        change(&spec)
        return Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
    }

    @Test func `a record of what nothing has happened to says when it was made`() throws {
        let begin = Fixture.start + 60
        for transfer in [
            try fresh(), try fresh { $0.earliestBegin = begin },
            try fresh { $0.direction = .download(.init(path: "/x")) },
        ] {
            #expect(TransferRecord(transfer).isFresh)
            let json = try JSONEncoder().encode(TransferRecord(transfer))
            let moment = String(decoding: try JSONEncoder().encode(transfer.createdAt), as: UTF8.self)
            #expect(String(decoding: json, as: UTF8.self) == "{\"createdAt\":\(moment)}")
            #expect(try again(transfer) == transfer)
        }
    }

    @Test func `the status of a completion command is kept until the transfer begins anew`() throws {
        var transfer = try fresh()
        let isEarlyTaken = transfer.completionFailed(status: 3)
        #expect(!isEarlyTaken, "it has not ended")
        _ = transfer.cancel(now: Fixture.moment(1))
        let isTaken = transfer.completionFailed(status: 3)
        #expect(isTaken)
        #expect(try again(transfer).completionStatus == 3)
        #expect(try again(transfer) == transfer)
        _ = transfer.retry(now: Fixture.moment(2))
        #expect(transfer.completionStatus == nil)
    }

    /// Frozen: records like these are on people's disks.
    @Test(arguments: [("cancelled", TransferOutcome.cancelled), ("cancelledByQuit", .cancelledByQuit)])
    func `a cancelled transfer comes back with who cancelled it`(name: String, outcome: TransferOutcome) throws {
        let json = """
            {"createdAt":[821692800,5000,"boot-1"],"state":{"finished":{"_0":{"\(name)":{}},"at":[821692810,5010,"boot-1"]}}}
            """
        let transfer = try decoded(Data(json.utf8), spec: try Fixture.upload())
        #expect(transfer.state == .finished(outcome, at: Fixture.moment(10)))
        #expect(try again(transfer) == transfer)
        #expect(outcome.isCancelled && !outcome.isSuccess && outcome.answer == nil)
    }

    /// Frozen: records like these are on people's disks.
    @Test func `a record that only says when is a transfer in line`() throws {
        let json = Data(#"{"createdAt":[821692800,5000,"boot-1"]}"#.utf8)
        let transfer = try decoded(json, spec: try Fixture.upload())
        #expect(transfer.state == .queued(since: Fixture.start))
        #expect(transfer.expiry == Deadline(setAt: Fixture.moment(0), delay: 1000))
        #expect(transfer.bytesTotal == 300)
        #expect(transfer.bytesDone == 0 && transfer.attempts == 0 && transfer.history.isEmpty)
        var spec = try Fixture.download()
        spec.earliestBegin = Fixture.start + 60
        let later = try decoded(json, spec: spec)
        #expect(later.state == .waiting(.init(cause: .earliestBegin(Fixture.start + 60), since: Fixture.start)))
        #expect(later.expiry == nil && later.bytesTotal == nil)
    }

    @Test func `every part of a transfer is in its record`() throws {
        let original = try fresh()
        let partial = PartialDownload(validator: nil, totalBytes: nil, bootID: "b")
        let resumeData = ResumeData(
            token: "t",
            partial: partial,
            url: original.spec.url,
            method: "GET",
            headers: [],
            bytes: 1
        )
        var changes: [(String, @Sendable (inout Transfer) -> Void)] = [
            ("state", { $0.state = .finished(.cancelled, at: Fixture.moment(9)) }), ("expiry", { $0.expiry = nil }),
            ("expiry", { $0.expiry?.delay = 5 }), ("past.count", { $0.past.count = 1 }),
            ("past.retries", { $0.past.retries = 1 }),
            ("past.fruitless", { $0.past.fruitless = 1 }), ("past.furthestByte", { $0.past.furthestByte = 1 }),
            ("past.moved", { $0.past.moved = 1 }), ("past.restarts", { $0.past.restarts = 1 }),
            ("past.hasBeenAnswered", { $0.past.hasBeenAnswered = true }),
            ("partial", { $0.partial = partial }),
            ("partialFile", { $0.partialFile = FileIdentity(device: 1, inode: 1, size: 1, modified: 1) }),
            ("bytesDone", { $0.bytesDone = 1 }), ("bytesTotal", { $0.bytesTotal = 1 }),
            ("bytesTotal", { $0.bytesTotal = nil }), ("past.challengesAnswered", { $0.past.challengesAnswered = 1 }),
            ("resumeData", { $0.resumeData = .download(resumeData) }),
            ("past.lastFailure", { $0.past.lastFailure = TransferFailure(.cannotConnect, "no") }),
            ("past.lastFailure", { $0.past.lastFailure = .init(.targetExists, "no", status: 413, rival: $0.id) }),
            ("partialTag", { $0.partialTag = "0a1b" }), ("completionStatus", { $0.completionStatus = 127 }),
            ("dialectMemory", { $0.dialectMemory = [123, 0, 255] }),
        ]
        changes.append(
            (
                "past.history",
                {
                    $0.past.history = [
                        AttemptRecord(
                            number: 1,
                            startedAt: Fixture.start,
                            endedAt: Fixture.start,
                            fromByte: 0,
                            toByte: 1,
                            failure: nil
                        )
                    ]
                }
            )
        )
        var all = original
        for (name, change) in changes {
            var changed = original
            change(&changed)
            #expect(!TransferRecord(changed).isFresh, "\(name)")
            #expect(try again(changed) == changed, "\(name)")
            change(&all)
        }
        #expect(try again(all) == all)
        for (name, change) in changes { try checkDirectly(original, name, change) }
        // A new part must be named here, and is then checked to be written.
        let parts = Self.parts(of: original).subtracting(["past"])
            .union(Self.parts(of: original.past).map { "past.\($0)" })
        #expect(parts.subtracting(changes.map(\.0)) == ["id", "spec", "createdAt"])
    }

    /// Most records are written directly while the transfer runs, but not if they have a rare part.
    private func checkDirectly(_ original: Transfer, _ name: String, _ change: (inout Transfer) -> Void) throws {
        for state in try Self.writtenDirectly() {
            var changed = original
            changed.state = state
            #expect(try again(changed) == changed)
            change(&changed)
            #expect(try again(changed) == changed, "\(name)")
        }
    }

    private static func writtenDirectly() throws -> [TransferState] {
        var answer = Answer(status: 206, headers: [HeaderField(name: "A", value: "\"b\"")], finalURL: "http://h/\u{7}")
        var answers = [answer]
        answer.bodyStart = [0, 255]
        answer.bodyPath = "/b"
        answer.redirectCount = 2
        answer.remoteAddress = "::1"
        answer.remotePort = 80
        answer.isConnectionReused = false
        answer.saysThere = true
        answer.wasFetched = false
        answers.append(answer)
        #expect(parts(of: answer).count == 12, "a new part has to be written directly too")
        return [.running(.init(number: .max, startedAt: Fixture.moment(0.1), offset: 7))]
            + answers.flatMap { [.saving($0, since: Fixture.start), .finished(.completed($0), at: Fixture.moment(2))] }
    }

    @Test func `parts of a partial file are written, whoever writes them`() throws {
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try Fixture.download(), now: Fixture.moment(0))
        transfer.state = .running(.init(number: 1, startedAt: Fixture.moment(1), offset: 0))
        for validator in [nil, PartialDownload.Validator.strongETag("\"e\""), .lastModified("Thu, 26 Nov 2026")] {
            for total in [nil, Int64.max] {
                var partial = PartialDownload(validator: validator, totalBytes: total, syncedBytes: 3, bootID: "b")
                partial.serverIgnoresRanges = total == nil
                if total != nil { partial.coding = "gzip" }
                transfer.partial = partial
                #expect(try again(transfer) == transfer)
                partial.hold(ByteSpans(0..<3), bootID: "c")
                transfer.partial = partial
                #expect(try again(transfer) == transfer)
                partial.staysUndivided = true
                partial.adopt()
                transfer.partial = partial
                #expect(try again(transfer) == transfer)
            }
        }
    }

    @Test func `what the usual record contains is written directly`() throws {
        let moment = Moment(wall: Date(timeIntervalSinceReferenceDate: 10), bootID: "b", uptime: 0.5)
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try Fixture.download(), now: moment)
        transfer.state = .running(.init(number: 1, startedAt: moment, offset: 0))
        transfer.past.count = 1
        transfer.expiry = nil
        #expect(
            String(decoding: try TransferRecord(transfer).json(), as: UTF8.self)
                == #"{"state":{"running":{"_0":{"number":1,"startedAt":[10.0,0.5,"b"],"offset":0}}},"#
                + #""createdAt":[10.0,0.5,"b"],"attempts":1}"#
        )
        transfer.state = .saving(Answer(status: 200), since: Date(timeIntervalSinceReferenceDate: .infinity))
        #expect(throws: EncodingError.self) { try TransferRecord(transfer).json() }
    }

    /// The names of a value's stored properties. A wrapped property has its own name.
    private static func parts(of value: Any) -> Set<String> {
        let labels = Mirror(reflecting: value).children.compactMap(\.label)
        return Set(labels.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 })
    }

    @Test(arguments: ["lastFailure", "history", "waiting", "finished"])
    func `a sentence that 0.1.0 kept with a secret in it comes back without`(place: String) throws {
        let secret = "s3cr3t-0f-the-header"
        let failure = TransferFailure(.serverMisbehaves, "The server said 'no \(secret)'.")
        var transfer = try fresh { $0.headers = [.init(name: "X-Ticket", value: secret)] }
        switch place {
        case "lastFailure": transfer.past.lastFailure = failure
        case "history":
            transfer.past.history = [
                AttemptRecord(
                    number: 1,
                    startedAt: Fixture.start,
                    endedAt: Fixture.start,
                    fromByte: 0,
                    toByte: 1,
                    failure: failure
                )
            ]
        case "waiting":
            let deadline = Deadline(setAt: Fixture.moment(0), delay: 5)
            transfer.state = .waiting(.init(cause: .retry(failure, deadline), since: Fixture.start))
        default: transfer.state = .finished(.failed(failure, nil), at: Fixture.moment(9))
        }
        let record = String(decoding: try JSONEncoder().encode(TransferRecord(transfer)), as: UTF8.self)
        let older = record.replacing(#","isStruck":true"#, with: "").replacing(#""isStruck":true,"#, with: "")
        #expect(older != record && older.contains(secret))
        let read = try decoded(Data(older.utf8), spec: transfer.spec)
        let again = String(decoding: try JSONEncoder().encode(TransferRecord(read)), as: UTF8.self)
        #expect(!again.contains(secret) && again.contains("(hidden)"))
        #expect(try self.again(transfer) == transfer, "what this version wrote is not looked through again")
    }
}
