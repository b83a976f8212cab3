// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTransfers

/// A network that replaces libcurl, and acts only on a test's instructions.
///
/// `@unchecked Sendable`: belongs to the loop.
final class ScriptedEngine: TransferEngine, @unchecked Sendable {
    /// The requests begun, in order, with their times in seconds of the loop's clock.
    private(set) var begun: [(request: EngineRequest, at: Double)] = []
    private(set) var stopped: [RequestKey] = []
    /// The transfers whose file systems do not respond.
    var stalled: Set<TransferID> = []
    /// The times at which requests ended, in order.
    private var ends: [Double] = []
    private var running: [RequestKey: EngineRequest] = [:]
    private let loop: EventLoop
    private let report: @Sendable ([EngineEvent]) -> Void

    init(loop: EventLoop, report: @escaping @Sendable ([EngineEvent]) -> Void) {
        (self.loop, self.report) = (loop, report)
    }

    /// The requests that have neither ended nor been stopped.
    var underWay: [EngineRequest] { running.values.sorted { $0.id < $1.id } }

    /// Seconds from the end of each request to the beginning of the next, if there is one at a time.
    var pauses: [Double] { zip(ends, begun.dropFirst()).map { $1.at - $0 } }

    // MARK: TransferEngine

    func start(_ requests: [EngineRequest]) {
        for request in requests {
            begun.append((request, loop.uptime))
            running[request.key] = request
        }
    }

    func stop(_ key: RequestKey) {
        guard running.removeValue(forKey: key) != nil else { return }
        stopped.append(key)
        post([.released(key)])
    }

    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?) {}
    func setEnd(_ key: RequestKey, _ end: Int64) {}
    func stalled(at uptime: Double) -> Set<TransferID> { stalled }
    func shutDown() { running = [:] }

    // MARK: What a test brings about

    private func post(_ events: [EngineEvent]) {
        let report = report
        loop.post { report(events) }
    }

    /// Delivers bytes of a download, of so many in total.
    func receive(_ bytes: [UInt8], of request: EngineRequest, total: Int64) {
        let offset = request.offset
        let count = bytes.withUnsafeBytes { pwrite(request.fileDescriptor, $0.baseAddress, $0.count, off_t(offset)) }
        precondition(count == bytes.count, "a partial file cannot be written")
        post([
            .receiving(request.key, validator: .strongETag("\"1\""), total: total),
            .progress([EngineProgress(key: request.key, bytesDone: offset + Int64(count), bytesTotal: total)]),
        ])
    }

    /// Delivers the whole rest of a download, and its answer.
    func deliver(_ bytes: [UInt8], to request: EngineRequest, status: Int = 200) {
        let offset = request.offset
        let count = bytes.withUnsafeBytes { pwrite(request.fileDescriptor, $0.baseAddress, $0.count, off_t(offset)) }
        precondition(count == bytes.count, "a partial file cannot be written")
        end(request, .answered(Answer(status: status)), reached: offset + Int64(count))
    }

    /// Ends a request.
    func end(_ request: EngineRequest, _ result: AttemptResult, reached: Int64 = 0) {
        guard running.removeValue(forKey: request.key) != nil else { return }
        ends.append(loop.uptime)
        post([.ended(request.key, result, reached: reached)])
    }

    /// Answers a request.
    func answer(_ request: EngineRequest, _ status: Int, _ headers: [HeaderField] = []) {
        let reached = request.body?.count ?? request.offset
        end(request, .answered(Answer(status: status, headers: headers)), reached: reached)
    }

    /// Breaks a request's connection.
    func lose(_ request: EngineRequest, reached: Int64 = 0) {
        end(request, .failed(TransferFailure(.connectionLost, "the network broke")), reached: reached)
    }
}
