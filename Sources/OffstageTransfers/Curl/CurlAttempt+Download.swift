// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// What arrives from the server.
extension CurlAttempt {
    /// libcurl hands over one header line. Returning another count than was given breaks the attempt off.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        guard head.take(line) else {
            refuse(.init(.badServerResponse, "\(serverName) sends endless headers"))
            return 0
        }
        if head.isComplete, case .undecided = plan, (300..<400).contains(head.status) { prepareRedirect() }
        return line.count
    }

    /// libcurl hands over a piece of the final response's body.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if case .undecided = plan { decide() }
        switch plan {
        case .file(let total): return mustWait() ? Int(CURL_WRITEFUNC_PAUSE) : write(bytes, total: total)
        case .answer:
            if case .open = spooledBody, mustWait() { return Int(CURL_WRITEFUNC_PAUSE) }
            return keep(bytes)
        case .refused, .undecided: return 0
        }
    }

    /// Whether it is others' turn before more is written to a file.
    private func mustWait() -> Bool {
        if allowance.limit != nil, mustPause() { return true }
        guard turnBytes >= Self.turnLimit else { return false }
        turn.yield(self)
        return true
    }

    private func mustPause() -> Bool {
        let now = ContinuousClock.now
        guard allowance.available(now: now) == 0 else { return false }
        pause(now: now)
        return true
    }

    /// Looks at the response's head and chooses where its body goes.
    func decide() {
        if asksForDigest { needsDigest = true } else { challenge = authenticationChallenge }
        guard !isUpload, !needsDigest, challenge == nil else {
            plan = .answer
            return
        }
        let fields = head.fields
        finalFields = fields
        let head = responseHead(fields)
        let decision = RangeDecision.decide(
            head,
            offset: request.offset,
            partial: request.partial,
            keepsErrorBodies: request.spec.statusPolicy == .everyResponseIsFinal
        )
        switch decision {
        case .write(let from, let total): openFile(from: from, total: total, head: head)
        case .beginAgain(let serverIgnoresRanges):
            refuse(.mustBeginAgain(serverIgnoresRanges: serverIgnoresRanges))
        case .refuse(let failure): refuse(failure)
        case .notTheFile: plan = .answer
        }
    }

    /// The head as a rule wants it.
    private func responseHead(_ fields: [HeaderField]) -> ResponseHead {
        var fields = fields
        // RFC 9112, section 6.3: with a transfer coding the stated length means nothing.
        if fields["Transfer-Encoding"] != nil {
            fields.removeAll { $0.name.caseInsensitiveEquals("Content-Length") }
        }
        return ResponseHead(status: head.status, headers: fields)
    }

    private func openFile(from: Int64, total: Int64?, head: ResponseHead) {
        let fd = request.fileDescriptor
        guard ftruncate(fd, off_t(from)) == 0 else { return refuse(writeFailure(errno)) }
        position = from
        let total = hasNoBody ? nil : total
        // For a small file the write itself tells soon enough.
        if let total, total - from > Self.worthTelling, !hasRoom(for: total - from) {
            return refuse(
                .init(.diskFull, "the file of \(total) bytes does not fit on the disk of \(request.filePath)")
            )
        }
        plan = .file(total: total)
        let isWorthTelling = total.map { $0 - from > Self.worthTelling } ?? !hasNoBody
        if from > 0 || isWorthTelling {
            let isFile = head.status == 200 || head.status == 206
            turn.append(
                .receiving(
                    request.id,
                    attempt: request.attempt,
                    validator: isFile ? head.validator : nil,
                    total: total
                )
            )
        }
    }

    private func hasRoom(for bytes: Int64) -> Bool {
        guard bytes > 0 else { return true }
        var space = statvfs()
        guard fstatvfs(request.fileDescriptor, &space) == 0 else { return true }
        let (free, overflow) = Int64(clamping: space.f_bavail).multipliedReportingOverflow(by: Int64(space.f_frsize))
        return overflow || free >= bytes
    }

    private func write(_ bytes: UnsafeRawBufferPointer, total: Int64?) -> Int {
        if let total, position + Int64(bytes.count) > total {
            refuse(.init(.serverMisbehaves, "\(serverName) sent more than the \(total) bytes it had stated"))
            return 0
        }
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                request.fileDescriptor,
                bytes.baseAddress.map { $0 + done },
                bytes.count - done,
                off_t(position)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                refuse(writeFailure(count == 0 ? ENOSPC : errno))
                return 0
            }
            done += count
            position += Int64(count)
        }
        allowance.spend(done)
        turnBytes += done
        return done
    }

    private func writeFailure(_ code: Int32) -> TransferFailure {
        switch code {
        case ENOSPC, EDQUOT:
            .init(.diskFull, "the disk of \(request.filePath) is full after \(position) bytes")
        default:
            .init(.targetNotWritable, "\(request.filePath) cannot be written: \(String(cString: strerror(code)))")
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard spool(bytes) else { return 0 }
        let room = Answer.bodyStartLimit - bodyStart.count
        if room > 0 { bodyStart.append(contentsOf: bytes.prefix(room)) }
        answerBytes += bytes.count
        if spooledBody == nil, answerBytes > Self.answerReadLimit {
            hasReadEnough = true
            return 0
        }
        return bytes.count
    }
}
