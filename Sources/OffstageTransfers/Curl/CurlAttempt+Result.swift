// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// Turns the end of an attempt into its result.
extension CurlAttempt {
    func result(of code: CURLcode) -> AttemptResult {
        if let verdict { return verdict }
        guard code == CURLE_OK || response.hasReadEnough || hasAnswerDespite(code) else {
            return trustChallenge(code).map { .challenged($0) } ?? .failed(failure(for: code))
        }
        guard response.head.status > 0 else {
            return .failed(.init(.badServerResponse, "\(serverName) sent something that is not HTTP"))
        }
        guard response.head.isComplete else {
            return .failed(
                .init(.connectionLost, "the connection to \(serverName) ended within the response's headers")
            )
        }
        if response.isUndecided { decide() }
        recordGoAhead()
        if let verdict { return verdict }
        let cut = code == CURLE_OK ? cutCodingFailure : nil
        if let failure = isUpload ? uploadFailure() ?? cut : cut ?? downloadFailure() { return .failed(failure) }
        if let challenge = response.challenge { return .challenged(challenge) }
        if !response.needsDigest, let problem = spool.finish() { return .failed(failure(of: problem)) }
        return .answered(answer)
    }

    /// Remembers a server that took the body without an interim response: waiting for one cost a second.
    private func recordGoAhead() {
        guard isUpload, asksForGoAhead, !response.hasHeardInterim, response.head.httpVersion.hasPrefix("1."),
            sent == bodySize
        else {
            return
        }
        turn.goAheads.ignored(by: request.spec.url.hostKey)
    }

    /// Whether the answer counts despite the error: a server that refuses an upload may close the connection while the
    /// body is still being sent.
    private func hasAnswerDespite(_ code: CURLcode) -> Bool {
        isUpload && response.head.isComplete && response.head.status >= 400
            && (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR)
            && (request.spec.dialect == nil || response.head.status == 413 || !response.isCutShort)
    }

    private func downloadFailure() -> TransferFailure? {
        guard case .file(let total?) = response.plan, position != total else { return nil }
        // The server has marked the end of its file, though not stated its length.
        if response.isTotalAssumed, position < total, isEndMarked { return wrongLength(position) }
        return .init(.connectionLost, "the connection to \(serverName) ended \(progress(of: total))")
    }

    /// How much of a response has arrived, up to a byte of the file; for a piece, counted within the piece.
    private func progress(of total: Int64) -> String {
        let (done, all) = (position.subtractingClamped(firstOfPiece), total.subtractingClamped(firstOfPiece))
        return "after \(done) of \(all) bytes"
    }

    /// The first byte of a piece within the file; 0 for a response that continues to the file's end.
    var firstOfPiece: Int64 { request.pieceEnd == nil ? 0 : request.offset }

    /// Whether a body that ended without an error is whole. In HTTP/1, a body may end with its connection, no matter
    /// who closes it. Where the end of a stream proves nothing, HTTP/1.1 was tried before (`missesMark`), if it could be.
    var isEndMarked: Bool {
        let version = response.head.httpVersion
        return ResponseHead.hasStreams(version) || response.parsedHead.marksEnd(over: version)
    }

    private func uploadFailure() -> TransferFailure? {
        if request.checksSourceAfterwards, let failure = body?.sourceFailure() { return failure }
        guard response.head.status >= 200 else {
            return .init(
                .serverMisbehaves,
                "\(serverName) answered \(response.head.status), which is not a final answer"
            )
        }
        guard response.head.status < 300 else { return nil }
        if case .nonsense(let text) = response.parsedHead.statedLength {
            return .init(.serverMisbehaves, "\(serverName) \(text)")
        }
        guard sent < bodySize else { return nil }
        return .init(
            .serverMisbehaves,
            "\(serverName) answered \(response.head.status) after \(sent) of \(bodySize) bytes"
        )
    }

    /// The response's head, and where it came from.
    var answer: Answer {
        var answer = Answer(
            status: response.head.status,
            headers: response.answerFields,
            httpVersion: response.head.httpVersion,
            finalURL: handle.string(of: CURLINFO_EFFECTIVE_URL).map(RequestOptions.withoutUser) ?? "",
            bodyStart: response.bodyStart
        )
        answer.bodyPath = spool.path
        answer.redirectCount = handle.long(of: CURLINFO_REDIRECT_COUNT)
        answer.remoteAddress = handle.string(of: CURLINFO_PRIMARY_IP).flatMap { $0.isEmpty ? nil : $0 }
        answer.remotePort = answer.remoteAddress.map { _ in handle.long(of: CURLINFO_PRIMARY_PORT) }
        answer.isConnectionReused = handle.long(of: CURLINFO_NUM_CONNECTS) == 0
        if isUpload, trail.isFetchingAnswer { answer.wasFetched = true }
        return answer
    }

    private func failure(for code: CURLcode) -> TransferFailure {
        let spec = request.spec
        return CurlFailureMapping.failure(
            code: Int(code.rawValue),
            .init(
                server: serverName,
                isConnected: handle.offset(of: CURLINFO_PRETRANSFER_TIME_T) > 0,
                connectTimeout: spec.connectTimeout ?? spec.idleTimeout,
                progress: progressText,
                libraryText: handle.errorDescription,
                systemError: handle.systemError,
                lastStatus: response.head.status,
                proxyStatus: handle.long(of: CURLINFO_HTTP_CONNECTCODE),
                proxy: proxyAddress,
                isReadingHead: response.head.total > 0 && !response.head.isComplete,
                certificateFile: spec.certificateAuthorityPath,
                clientCertificate: spec.connection?.certificatePath?.redactedControls,
                redirectLimit: spec.connection?.mostRedirects.map { _ in RequestOptions.redirectLimit(of: spec) }
            )
        )
    }

    private var progressText: String {
        switch response.plan {
        case .file(let total?): progress(of: total)
        case .file: "after \(position) bytes"
        case .answer, .refused, .undecided:
            isUpload && sent > 0 ? "after \(sent) of \(bodySize) bytes" : "before the answer arrived"
        }
    }
}
