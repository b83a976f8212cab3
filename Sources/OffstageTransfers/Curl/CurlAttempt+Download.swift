// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore
import OffstageFiles

/// Handles data that arrives from the server.
extension CurlAttempt {
    /// Receives one header line from libcurl. Returning a different count than was given breaks the attempt off.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        guard response.receive(line) else {
            refuse(.init(.badServerResponse, "\(serverName) sends endless headers"))
            return 0
        }
        // An upload that was redirected is not resumed: the whole request is sent again.
        if request.hearsInterim, handle.long(of: CURLINFO_REDIRECT_COUNT) == 0, let fields = response.resumption {
            turn.append(.interim(request.key, fields))
        }
        if response.head.isComplete, response.isUndecided {
            if isRedirect { prepareRedirect() }
            if isAnsweredEarly { handle.set(CURLOPT_FORBID_REUSE, true) }
            if response.parsedHead.headers["Transfer-Encoding"] != nil { handle.reportArrivals(to: self) }
        }
        return verdict == nil ? line.count : 0
    }

    /// Called with the number of bytes of a chunked body that have arrived, before libcurl looks for content in them.
    ///
    /// As long as it finds none, as in the extensions of a chunk, it continues to read and lets nothing else run.
    func receiveChunks(_ count: Int) {
        guard pace.arrived(count), verdict == nil else { return }
        refuse(.init(.serverMisbehaves, "\(serverName) sends hardly any content in its chunks"))
        handle.pauseReceiving()
        turn.yield(self)
    }

    /// Receives a piece of the final response's body from libcurl.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        pace.found(bytes.count)
        if response.isUndecided { decide() }
        return response.decoder == nil ? take(bytes) : response.decoder.map { decode(bytes, with: $0) } ?? 0
    }

    /// Handles a piece of the body in the form that its owner gets; returns what libcurl's callback must return.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch response.plan {
        case .file(let total): return mustWait() ? Int(CURL_WRITEFUNC_PAUSE) : write(bytes, total: total)
        case .answer:
            if spool.isOpen, mustWait() { return Int(CURL_WRITEFUNC_PAUSE) }
            guard spooled(bytes), response.keep(bytes, isSpooled: spool.isBegun) else { return 0 }
            return bytes.count
        case .refused, .undecided: return 0
        }
    }

    /// Whether the attempt must wait or yield before it writes more to a file.
    func mustWait() -> Bool {
        if pace.isLimited, pace.grant(1, now: .now) == 0 { return true }
        guard pace.hasHadItsTurn else { return false }
        turn.yield(self)
        return true
    }

    /// Examines the response's head and chooses where its body goes.
    func decide() {
        if asksForDigest { response.needsDigest = true } else { response.challenge = authenticationChallenge }
        guard !isUpload, !response.needsDigest, response.challenge == nil else {
            response.plan = .answer
            if !response.needsDigest, response.challenge == nil { beginDecoding(response.parsedHead) }
            return
        }
        let head = response.parsedHead
        response.finalFields = head.headers
        if let length = request.otherLength(in: head) { return refuse(wrongLength(length)) }
        switch request.decision(on: head) {
        case .write(let from, let total) where request.pieceEnd != nil:
            position = from
            response.plan = .file(total: total)
            if request.expectedBytes != nil {
                turn.append(.answeredBeside(request.key, validator: head.validator))
            }
        case .write(_, nil) where missesMark(head): breakOffUnmarked()
        case .write(let from, let total):
            // The length is known only after decoding.
            let isEncoded = request.decodesContent && !head.codings.isEmpty
            let known = isEncoded ? nil : total
            if let known, let expected = request.expectedBytes, known != expected { return refuse(wrongLength(known)) }
            response.isTotalAssumed = known == nil
            openFile(from: from, total: known ?? request.expectedBytes, head: head, isResumable: !isEncoded)
            beginDecoding(head)
        case .beginAgain(let serverIgnoresRanges):
            refuse(.mustBeginAgain(serverIgnoresRanges: serverIgnoresRanges))
        case .refuse(let failure): refuse(failure)
        case .notTheFile:
            response.plan = .answer
            beginDecoding(head)
        }
    }

    /// The failure if the file is not the requested one.
    func wrongLength(_ length: Int64?) -> TransferFailure {
        let length = length.map { "\($0)" } ?? "more"
        return .init(
            .checksumMismatch,
            "\(serverName) has a file of \(length) bytes, but \(request.expectedBytes ?? 0) were expected"
        )
    }

    private func openFile(from: Int64, total: Int64?, head: ResponseHead, isResumable: Bool) {
        let fd = request.fileDescriptor
        // checked: the same type by another name
        guard request.heldBehind > 0 || ftruncate(fd, off_t(from)) == 0 else { return refuse(writeFailure(errno)) }
        position = from
        let total = hasNoBody && !request.isInquiry ? nil : total
        let missing = total.map { $0.subtractingClamped(from).subtractingClamped(request.heldBehind) } ?? 0
        // For a small file, the write itself reports a full disk early enough.
        if missing > Self.worthTelling, let room = DiskRoom(of: fd), room.bytes < missing {
            let folder = FileSaver.directory(of: request.filePath).redactedControls
            let needed = ByteText.of(missing)
            let free = "\(ByteText.of(room.free)) are free, of which \(ByteText.of(room.reserve)) are reserved"
            return refuse(.init(.diskFull, "there is not enough space in \(folder): \(needed) are needed, \(free)"))
        }
        response.plan = .file(total: hasNoBody ? nil : total)
        let isWorthTelling = total.map { $0 - from > Self.worthTelling } ?? !hasNoBody
        if from > 0 || isWorthTelling {
            // A range that the app requested cannot be continued in the middle by another request.
            let isFile =
                isResumable && !request.spec.hasOwnRange && (head.status == 200 || head.status == 206)
            if case .download(let target) = request.spec.direction, target.remoteName != nil,
                (200..<300).contains(head.status)
            {
                let name = ContentDisposition.fileName(in: head.headers)
                turn.append(.naming(request.key, name: name))
            }
            turn.append(
                .receiving(
                    request.key,
                    validator: isFile ? head.validator : nil,
                    total: total,
                    coding: isResumable ? head.coding : nil
                )
            )
            if request.mayDivide, isFile, head.allowsPieces, request.partial?.coding == nil, let total {
                turn.append(.divisible(request.key, total: total, answer: answer))
            }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, total: Int64?) -> Int {
        if let total, position + Int64(bytes.count) > total {
            if request.pieceEnd == nil, request.expectedBytes == total {
                refuse(wrongLength(nil))
                return 0
            }
            let stated = total.subtractingClamped(firstOfPiece)
            refuse(.init(.serverMisbehaves, "\(serverName) sent more than the \(stated) bytes it had stated"))
            return 0
        }
        let wanted = end.map { min(bytes.count, Int(clamping: max(0, $0.subtractingClamped(position)))) } ?? bytes.count
        // checked: not above the count
        let source = turn.bounceBuffer.source(of: .init(rebasing: bytes[..<wanted]), writtenAt: position)
        var done = 0
        while done < wanted {
            let rest = UnsafeRawBufferPointer(rebasing: source[done...])  // checked: below the count, by the loop
            let count = pwrite(request.fileDescriptor, rest.baseAddress, rest.count, off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                refuse(writeFailure(count == 0 ? ENOSPC : errno))
                return 0
            }
            done += count
            position += Int64(count)
        }
        pace.wrote(done)
        if hasReachedEnd {
            // Another request fetches the bytes that follow.
            refuse(.answered(answer))
            return 0
        }
        guard let room = room.shortage(after: done, of: request.fileDescriptor) else { return done }
        refuse(room.failure(of: request.filePath, "after \(position) bytes"))
        return 0
    }

    private func writeFailure(_ code: Int32) -> TransferFailure {
        FileTrouble.ofWriting(code, request.filePath, "after \(position) bytes")
    }
}
