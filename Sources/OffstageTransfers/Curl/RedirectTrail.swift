// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Where redirects have led an attempt, and what has changed since.
package struct RedirectTrail: Sendable {
    /// Set once a redirect has led to another origin, for the rest of the attempt.
    package private(set) var hasLeftOrigin = false
    /// Set once a redirect has turned the request into a GET, for the rest of the attempt.
    package private(set) var isFetchingAnswer = false
    /// How much of an upload had been sent when a redirect turned it into a GET; nil if none has.
    package private(set) var sentBeforeGet: Int64?
    /// The proxy that was set; the host may be exempt from it.
    package var proxy: String?
    /// The names of cookies that redirects have set.
    private var renewedCookies: Set<String> = []
    /// How many redirects have arrived.
    private var moves = 0
    /// How often the body was sent again because of a redirect.
    private var repetitions = 0

    package init() {}

    /// Records a redirect: its server has not taken the body.
    package mutating func move() { moves = moves.addingClamped(1) }

    /// Whether a redirect requires the body to be sent again. Each does so once: sending it again after that would
    /// repeat a request that no server has answered.
    ///
    /// - Parameter isMoving: whether a redirect that is not recorded yet has begun to arrive.
    /// - Returns: whether the body may be sent again now; if so, it counts as sent.
    package mutating func takesBodyAgain(isMoving: Bool) -> Bool {
        guard repetitions < (isMoving ? moves.addingClamped(1) : moves) else { return false }
        repetitions = repetitions.addingClamped(1)
        return true
    }

    /// Records that a redirect leads, or may lead, to another origin.
    package mutating func leaveOrigin() { hasLeftOrigin = true }

    /// Records that a redirect turns the request into a GET.
    ///
    /// - Parameter sent: how much of an upload had been sent; nil for a request without a body.
    package mutating func fetchAnswer(sent: Int64?) {
        isFetchingAnswer = true
        if let sent { sentBeforeGet = sent }
    }

    /// Records the cookies that a redirect sets.
    package mutating func renewCookies(from fields: [HeaderField]) {
        for field in fields where field.name.caseInsensitiveEquals("Set-Cookie") {
            renewedCookies.insert(Self.cookieName(field.value[...]))
        }
    }

    /// The cookies that the request's own fields still send; libcurl manages cookies that a server has set again since.
    package func ownCookies(in fields: [HeaderField]) -> [Substring] {
        guard !hasLeftOrigin else { return [] }
        return fields.filter { $0.name.caseInsensitiveEquals("Cookie") }.flatMap { $0.value.split(separator: ";") }
            .filter { !renewedCookies.contains(Self.cookieName($0)) }
            .map { $0.drop { $0 == " " } }
    }

    /// The name of a cookie, from `name=value` or a whole `Set-Cookie` value.
    private static func cookieName(_ text: Substring) -> String {
        String(text.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " || $0 == "\t" }).filter { !$0.isWhitespace }
    }
}
