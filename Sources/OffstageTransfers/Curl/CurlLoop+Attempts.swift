// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore
import OffstageRuntime

/// How attempts begin and end.
extension CurlLoop {
    /// How many handles are kept for later attempts; further handles free their memory at once.
    private static let spareHandleLimit = 16

    func start(_ request: EngineRequest) {
        let key = request.key
        guard running[key] == nil else { return }
        Doing.faultPoint("trap-in-attempt", request.id, request.spec.url.description.pathParts.last?[...] ?? "")
        quietDue = nil
        if multi == nil { multi = CurlMulti(epoll: epoll) }
        guard let multi, let handle = handle(keepingCookies: request.spec.takesCookies) else {
            return refuse(request, CurlAttempt.noMemory)
        }
        let attempt = CurlAttempt(request, handle: handle, turn: turn, now: now)
        if let failure = attempt.prepare() {
            spareHandles.append(handle)
            return refuse(request, failure)
        }
        guard multi.add(handle) else {
            return refuse(request, CurlAttempt.noMemory)
        }
        running[key] = attempt
        if attempt.pace.isLimited { limited[key] = attempt }
        setSilenceDeadline(attempt.silenceDeadline)
    }

    private func handle(keepingCookies keepsCookies: Bool) -> CurlHandle? {
        guard let index = spareHandles.lastIndex(where: { $0.keepsCookies == keepsCookies }) else {
            return CurlHandle(keepsCookies: keepsCookies)
        }
        return spareHandles.remove(at: index)
    }

    func stop(_ key: RequestKey) {
        guard let attempt = running[key] else { return }
        retire(attempt)
        turn.append(.released(key))
    }

    /// Reports when the first byte of a transfer moved, together with other events: it wakes no thread for this alone.
    func reportFirstByte(of attempt: CurlAttempt) {
        // checked: only compared
        guard attempt.key.attempt == 1, !attempt.isUpload || attempt.request.countsBody,
            let ago = attempt.pace.takeFirstByte(now: .now)
        else { return }
        turn.append(.firstByte(attempt.key, ago: ago / .seconds(1)))
    }

    /// Ends an attempt before libcurl does.
    func end(_ attempt: CurlAttempt, _ failure: TransferFailure) {
        let reached = attempt.reached(with: .failed(failure))
        retire(attempt)
        reportFirstByte(of: attempt)
        turn.append(.ended(attempt.key, .failed(failure), reached: reached))
    }

    /// Makes a download's request end at another byte.
    func setEnd(_ end: Int64, of key: RequestKey) {
        guard let attempt = running[key], let answer = attempt.setEnd(end) else { return }
        let reached = attempt.reached
        retire(attempt)
        reportFirstByte(of: attempt)
        turn.append(.ended(key, .answered(answer), reached: reached))
    }

    /// Ends an attempt whose callback refused a body while it was resumed: libcurl then returns the error to the caller
    /// that resumed it, and keeps waiting.
    func endIfRefused(_ attempt: CurlAttempt) {
        guard let verdict = attempt.verdict, running[attempt.key] === attempt else { return }
        let reached = attempt.reached
        retire(attempt)
        reportFirstByte(of: attempt)
        turn.append(.ended(attempt.key, verdict, reached: reached))
    }

    /// Reports the attempts that libcurl has finished.
    func finishEnded() {
        while let (attempt, code) = multi?.nextEnded() {
            let result = Doing.transfer(attempt.key.id, .attempt) { attempt.result(of: code) }
            if attempt.response.needsDigest, restart(attempt, { $0.rewind(for: .digest) }) { continue }
            if let version = attempt.otherVersion(after: code), restart(attempt, { $0.rewind(over: version) }) {
                continue
            }
            attempt.recordBrokenStream(code)
            let reached = attempt.reached(with: result)
            retire(attempt)
            reportFirstByte(of: attempt)
            turn.append(.ended(attempt.key, result, reached: reached))
        }
    }

    /// Runs an attempt again, reusing the connection if possible.
    private func restart(_ attempt: CurlAttempt, _ rewind: (CurlAttempt) -> Void) -> Bool {
        guard let multi else { return false }
        multi.remove(attempt.handle)
        rewind(attempt)
        return attempt.prepare() == nil && multi.add(attempt.handle)
    }

    private func refuse(_ request: EngineRequest, _ failure: TransferFailure) {
        turn.append(.ended(request.key, .failed(failure), reached: request.offset))
        if running.isEmpty { quietDue = now + quietTime }
    }

    private func retire(_ attempt: CurlAttempt) {
        running[attempt.key] = nil
        limited[attempt.key] = nil
        multi?.remove(attempt.handle)
        attempt.spool.discard()
        // A handle keeps its buffers, so one with large buffers is not worth keeping. It also keeps the system's last
        // error, which would be mistaken for the next request's.
        if !attempt.request.usesLargeBuffers, attempt.handle.systemError == 0,
            spareHandles.count < Self.spareHandleLimit
        {
            attempt.handle.reset()
            spareHandles.append(attempt.handle)
        }
        if running.isEmpty { quietDue = now + quietTime }
    }
}
