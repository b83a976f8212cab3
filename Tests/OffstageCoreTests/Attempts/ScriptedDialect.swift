// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A dialect that takes its steps from a list, and records its calls.
struct ScriptedDialect: UploadDialect {
    static let name = "scripted"
    static let account = "work"

    var lanes = 1
    var steps: [DialectStep] = []
    var memory: [UInt8]?
    var acknowledged: Int64 = 0
    var digestsAhead: Range<Int64>?
    var hashAhead: SourceDigest?
    var tokenPlaces = ["https://files.example.org"]
    /// Memories that belong to the steps, where they change.
    var memories: [[UInt8]?] = []
    /// Whether it remembers what the server has acknowledged.
    var remembersAnswers = false
    /// The calls it has received, in order.
    private(set) var told: [String] = []
    /// How many bytes had been sent each time an answer arrived.
    private(set) var sentBodies: [Int64] = []

    init(lanes: Int = 1, _ steps: [DialectStep] = []) {
        self.lanes = lanes
        self.steps = steps
    }

    init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {}

    mutating func next(now: Moment) -> DialectStep {
        if !memories.isEmpty { memory = memories.removeFirst() }
        return steps.isEmpty ? .wait : steps.removeFirst()
    }

    mutating func sentBody(_ bytes: Int64, lane: Int) { sentBodies.append(bytes) }

    mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        acknowledged += 10
        if remembersAnswers { memory = [UInt8(acknowledged)] }
        told.append("answered(\(lane) \(answer.status))")
    }

    mutating func broke(_ failure: TransferFailure, lane: Int, sent: Int64, now: Moment) -> TransferFailure {
        told.append("broke(\(lane) after \(sent))")
        return failure
    }

    mutating func digested(_ digests: [UInt8], from offset: Int64) { told.append("digested(\(offset))") }
    mutating func receivedInterim(_ interim: [HeaderField], lane: Int) {
        told.append("heard(\(lane))")
        memory = Array("\(interim.count)".utf8)
    }
    mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest) {
        told.append("hashed(\(digest.range.lowerBound))")
        if hashAhead == digest { hashAhead = nil }
    }
    mutating func authorized(_ token: GrantedToken) { told.append("authorized") }
}
