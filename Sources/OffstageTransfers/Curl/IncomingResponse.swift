// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
package import OffstageCore

/// The response of an attempt, as far as it has come, and where its body goes.
package struct IncomingResponse {
    /// Where the body of the response goes.
    package enum BodyPlan {
        /// The response has not been looked at yet.
        case undecided
        /// To the file; `total` is the length the whole file will have.
        case file(total: Int64?)
        /// Its beginning belongs to the answer, the rest is dropped.
        case answer
        /// Nowhere: the attempt is being broken off.
        case refused
    }

    package var head = HeadCollector()
    package var plan = BodyPlan.undecided
    /// The final response's header fields, once they were looked at.
    package var finalFields: [HeaderField]?
    package private(set) var bodyStart: [UInt8] = []
    /// Bytes of a body that does not go to a file.
    package private(set) var bodyBytes = 0
    /// Set where the rest of the body was not wanted.
    package private(set) var hasReadEnough = false
    /// Whether the server has answered before the final response, as with 100.
    package private(set) var hasHeardInterim = false
    /// Set where the server asks for digest authentication: the attempt is to be made once more, with it.
    package var needsDigest = false
    /// What the head wants to have settled first.
    package var challenge: Challenge?

    /// How much of a body that goes nowhere is read, in bytes, before the connection is closed instead.
    package static let readLimit = 1_048_576

    package init() {}

    /// Whether nobody has looked at it yet.
    package var isUndecided: Bool {
        if case .undecided = plan { true } else { false }
    }

    /// The head as it is decided about.
    package var parsedHead: ResponseHead { ResponseHead(status: head.status, headers: head.fields) }

    /// Takes a line of a head as libcurl hands it over; false when the server sends too many.
    package mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        // What follows a body belongs to it: a trailer may look like another response.
        guard head.take(line, isTrailer: !isUndecided) else { return false }
        if head.isComplete, head.status < 200 { hasHeardInterim = true }
        return true
    }

    /// Takes a piece of a body that does not go to the file.
    ///
    /// - Parameters:
    ///   - bytes: what has come.
    ///   - isSpooled: whether all of the body is wanted.
    /// - Returns: whether it is to go on.
    package mutating func keep(_ bytes: UnsafeRawBufferPointer, isSpooled: Bool) -> Bool {
        let room = Answer.bodyStartLimit - bodyStart.count
        if room > 0 { bodyStart.append(contentsOf: bytes.prefix(room)) }
        bodyBytes += bytes.count  // checked: bytes in memory, until the limits
        if !isSpooled, bodyBytes > Self.readLimit { hasReadEnough = true }
        return !hasReadEnough
    }

    /// Makes room for the response to the request that is sent once more.
    package mutating func beginAgain() {
        let hasHeardInterim = hasHeardInterim
        self = IncomingResponse()
        self.hasHeardInterim = hasHeardInterim
    }

    /// Whether less than the whole body of an answer has come. A dialect reads what its server says, and must not take
    /// a part of it, or nothing, for all: but for a body that was too long there is one reason alone.
    package var isCutShort: Bool {
        switch parsedHead.statedLength {
        case .none: false
        case .bytes(let length): Int64(bodyBytes) < length
        case .nonsense: true
        }
    }

    /// The fields that belong to the answer, with `Retry-After` in seconds.
    package var answerFields: [HeaderField] {
        var fields = finalFields ?? head.fields
        if let index = fields.firstIndex(where: { $0.name.caseInsensitiveEquals("Retry-After") }),
            let seconds = Self.seconds(retryAfter: fields[index].value, date: fields["Date"])
        {
            fields[index].value = String(seconds)
        }
        return fields
    }

    /// Seconds until an HTTP date, by the server's own clock if it tells it; nil for any other form.
    private static func seconds(retryAfter text: String, date: String?) -> Int? {
        guard Double(text) == nil else { return nil }
        let due = curl_getdate(text, nil)
        guard due >= 0 else { return nil }
        let stated = date.map { curl_getdate($0, nil) } ?? -1
        return max(0, due.subtractingClamped(stated >= 0 ? stated : time(nil)))
    }
}
