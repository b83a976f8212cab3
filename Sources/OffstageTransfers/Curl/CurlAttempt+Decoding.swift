// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// Decodes the body of a compressed response.
extension CurlAttempt {
    /// Prepares to decode the body after a head, if it is coded. Call it once the destination of the body is decided.
    func beginDecoding(_ head: ResponseHead) {
        let codings = request.decodesContent && !hasNoBody ? head.codings : []
        guard !codings.isEmpty, verdict == nil else { return }
        guard codings.count <= BodyDecoder.mostCodings else {
            if needsWholeBody { refuse(BodyDecoder.tooManyCodings(of: serverName)) }
            return
        }
        do throws(BodyDecoder.Problem) {
            response.decoder = try BodyDecoder(codings)
        } catch { refuse(error.failure(of: serverName)) }
    }

    /// Decodes a piece of the body from libcurl; returns what its callback must return.
    func decode(_ bytes: UnsafeRawBufferPointer, with decoder: BodyDecoder) -> Int {
        if case .refused = response.plan { return 0 }
        // Coded bytes may make the other attempts wait without yielding a byte to write.
        if mayPause, mustWait() { return Int(CURL_WRITEFUNC_PAUSE) }
        do throws(BodyDecoder.Problem) {
            let outcome = try decoder.decode(bytes, limit: AttemptPace.turnLimit) { handOver($0) }
            pace.worked(on: decoder.work)
            switch outcome {
            case .taken: return isBarren(decoder) ? stop(.damaged) : bytes.count
            case .paused: return Int(CURL_WRITEFUNC_PAUSE)
            case .exhausted:
                guard mayPause else { return stop(.damaged) }
                turn.yield(self)
                return Int(CURL_WRITEFUNC_PAUSE)
            case .stopped: return 0
            }
        } catch { return stop(error) }
    }

    private func handOver(_ piece: UnsafeRawBufferPointer) -> BodyDecoder.Outcome {
        switch take(piece) {
        case piece.count: .taken
        case Int(CURL_WRITEFUNC_PAUSE): .paused
        default: .stopped
        }
    }

    /// Whether libcurl may be paused. Not in an answer whose remainder may be unwanted: libcurl would not end the
    /// attempt if notified of that while being resumed.
    private var mayPause: Bool {
        if case .file = response.plan { return true }
        return spool.isOpen
    }

    /// Whether an answer has many coded bytes but hardly any content.
    private func isBarren(_ decoder: BodyDecoder) -> Bool {
        !mayPause && decoder.received / 2 > Int64(IncomingResponse.readLimit)  // checked: our own number
    }

    /// Whether the body is needed completely: it is not just the text of an error that the status also reports.
    private var needsWholeBody: Bool {
        if case .answer = response.plan { return isUpload }
        return true
    }

    /// Skips the remaining body, or breaks the attempt off if it needs the whole body.
    private func stop(_ problem: BodyDecoder.Problem) -> Int {
        if needsWholeBody { refuse(problem.failure(of: serverName)) } else { response.stopReading() }
        return 0
    }

    /// Why a body that has ended is not whole; nil if it is, or need not be.
    var cutCodingFailure: TransferFailure? {
        guard let decoder = response.decoder, needsWholeBody else { return nil }
        // A body without any bytes is empty, if its end is marked.
        if decoder.hasBegun ? decoder.isWhole : isEndMarked { return nil }
        let done = isUpload ? Int64(clamping: response.bodyBytes) : position
        return .init(
            .connectionLost,
            "the compressed answer of \(serverName) ended before it was whole, after \(done) bytes"
        )
    }
}
