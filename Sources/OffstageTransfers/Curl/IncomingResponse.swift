// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
package import OffstageCore

/// The response of an attempt, as far as it has arrived, and the destination of its body.
package struct IncomingResponse {
    /// Where the body of the response goes.
    package enum BodyPlan {
        /// The response has not been examined yet.
        case undecided
        /// To the file; `total` is the length the whole file will have.
        case file(total: Int64?)
        /// The beginning goes to the answer; the rest is dropped.
        case answer
        /// Nowhere: the attempt is being broken off.
        case refused
    }

    package var head = HeadCollector()
    package var plan = BodyPlan.undecided
    /// Decodes the body; nil for a body that is kept as received.
    package var decoder: BodyDecoder?
    /// Whether the server has not stated the length of the whole file, so the length that the file must have is used
    /// instead.
    package var isTotalAssumed = false
    /// The final response's header fields, once they have been examined.
    package var finalFields: [HeaderField]?
    package private(set) var bodyStart: [UInt8] = []
    /// Bytes of a body that does not go to a file.
    package private(set) var bodyBytes = 0
    /// Whether the rest of the body was unwanted.
    package private(set) var hasReadEnough = false
    /// Whether the server has sent an interim response, such as 100.
    package private(set) var hasHeardInterim = false
    /// The fields of the interim response that the last line has completed, if it announces where an upload can be
    /// resumed (104).
    package private(set) var resumption: [HeaderField]?
    /// How many more interim responses of this kind are accepted from the server.
    private var resumptionsLeft = 10_000
    /// Whether the server requires Digest authentication: the attempt is then repeated with it.
    package var needsDigest = false
    /// The challenge in the head that must be resolved first.
    package var challenge: Challenge?

    /// How many bytes of an unwanted body are read before the connection is closed instead.
    package static let readLimit = 1_048_576

    package init() {}

    /// Whether the response has not been examined yet.
    package var isUndecided: Bool {
        if case .undecided = plan { true } else { false }
    }

    /// The head in the form that decisions use.
    package var parsedHead: ResponseHead {
        ResponseHead(status: head.status, headers: head.fields, isAmbiguous: head.isAmbiguous)
    }

    /// Receives a line of a head from libcurl; false if the server sends too many.
    package mutating func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        resumption = nil
        let wasComplete = head.isComplete
        // Lines after a body belong to it: a trailer may look like another response.
        guard head.receive(line, isTrailer: !isUndecided) else { return false }
        if head.isComplete, head.status < 200 { hasHeardInterim = true }
        if head.isComplete, head.status == 104, !wasComplete, resumptionsLeft > 0 {
            resumptionsLeft -= 1
            resumption = head.fields
            head.forgive()
        }
        return true
    }

    /// Keeps a piece of a body that does not go to the file.
    ///
    /// - Parameters:
    ///   - bytes: the received bytes.
    ///   - isSpooled: whether the whole body is wanted.
    /// - Returns: whether to continue.
    package mutating func keep(_ bytes: UnsafeRawBufferPointer, isSpooled: Bool) -> Bool {
        let room = Answer.bodyStartLimit - bodyStart.count
        if room > 0 { bodyStart.append(contentsOf: bytes.prefix(room)) }
        bodyBytes += bytes.count  // checked: bytes in memory, until the limits
        if !isSpooled, bodyBytes > Self.readLimit { hasReadEnough = true }
        return !hasReadEnough
    }

    /// Skips the rest of the body.
    package mutating func stopReading() { hasReadEnough = true }

    /// Resets this for the response to a repeated request.
    package mutating func beginAgain() {
        let hasHeardInterim = hasHeardInterim
        self = IncomingResponse()
        self.hasHeardInterim = hasHeardInterim
    }

    /// Whether the body of an answer is incomplete. A dialect reads its server's answers, and must not mistake a part
    /// of one, or nothing, for the whole. Only the answer to a body that was too long may be cut short: it can have
    /// only one reason.
    package var isCutShort: Bool {
        switch parsedHead.statedLength {
        case .none: false
        case .bytes(let length): Int64(bodyBytes) < length
        case .nonsense: true
        }
    }

    /// The answer's header fields, with `Retry-After` in seconds.
    package var answerFields: [HeaderField] {
        var fields = finalFields ?? head.fields
        if let index = fields.firstIndex(where: { $0.name.caseInsensitiveEquals("Retry-After") }),
            let seconds = Self.seconds(retryAfter: fields[index].value, date: fields["Date"])
        {
            fields[index].value = String(seconds)
        }
        return fields
    }

    /// Seconds until an HTTP date, by the server's clock if it sent the time; nil for any other form.
    private static func seconds(retryAfter text: String, date: String?) -> Int? {
        guard Double(text) == nil else { return nil }
        let due = curl_getdate(text, nil)
        guard due >= 0 else { return nil }
        let stated = date.map { curl_getdate($0, nil) } ?? -1
        return max(0, due.subtractingClamped(stated >= 0 ? stated : time(nil)))
    }
}
