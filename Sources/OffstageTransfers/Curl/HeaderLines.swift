// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The header lines of a request, in libcurl's format: the owner's fields, as far as the request's destination may
/// receive them, and the fields that the engine adds.
package struct HeaderLines: Sendable {
    /// Where redirects have led the request.
    private let trail: RedirectTrail
    /// Whether libcurl sends the cookies in its own field.
    private let withholdsCookies: Bool
    /// Whether the body waits for the server's 100 (Continue).
    private let asksForGoAhead: Bool

    /// Fields that describe a body.
    private static let fieldsOfBody = [
        "content-type", "content-encoding", "content-language", "content-location", "idempotency-key",
    ]

    /// - Parameters:
    ///   - trail: where redirects have led the request.
    ///   - withholdsCookies: whether libcurl sends the cookies in its own field.
    ///   - asksForGoAhead: whether the body waits for the server's 100 (Continue).
    package init(after trail: RedirectTrail, withholdsCookies: Bool = false, asksForGoAhead: Bool = false) {
        self.trail = trail
        self.withholdsCookies = withholdsCookies
        self.asksForGoAhead = asksForGoAhead
    }

    /// - Parameter request: the request that the lines belong to.
    /// - Returns: the lines: `Name: value`, `Name;` for an empty value, and `Name:` for a field that libcurl must omit.
    package func lines(of request: EngineRequest) -> [String] {
        var lines = ownFields(of: request)
        let spec = request.spec
        if spec.headers["Accept-Encoding"] == nil, let codings = Self.codings(of: request) {
            lines.append("Accept-Encoding: \(codings)")
        }
        if let key = spec.idempotencyKey, !trail.isFetchingAnswer, spec.headers["Idempotency-Key"] == nil {
            lines.append("Idempotency-Key: \(key)")
        }
        // libcurl omits a field whose line has a colon but no value.
        if request.isUpload, !asksForGoAhead, spec.headers["Expect"] == nil { lines.append("Expect:") }
        if request.asksForRange { lines += Self.range(of: request) }
        return lines
    }

    /// The owner's fields, without those that must not or need not be sent.
    private func ownFields(of request: EngineRequest) -> [String] {
        // A length that contradicts the body, or a range that ignores the partial file, would be false.
        var unwanted: Set<String> = ["content-length"]
        if request.asksForRange { unwanted.formUnion(["range", "if-range"]) }
        if request.hasAppsCredentials { unwanted.insert("authorization") }
        if withholdsCookies { unwanted.insert("cookie") }
        // The body is not sent again.
        if trail.isFetchingAnswer { unwanted.formUnion(Self.fieldsOfBody) }
        var lines: [String] = []
        for field in request.spec.headers
        where !unwanted.contains(field.name.lowercased())
            && !(trail.hasLeftOrigin && !HarmlessHeaders.travels(field.name))
        {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        return lines
    }

    /// The codings to request; nil to leave the choice to the server.
    private static func codings(of request: EngineRequest) -> String? {
        if request.asksForCompression, request.decodesContent { return "gzip, deflate" }
        return !request.isUpload || request.decodesContent ? "identity" : nil
    }

    /// Requests the range, on the condition that the file is unchanged.
    private static func range(of request: EngineRequest) -> [String] {
        let last = request.pieceEnd.map { "\($0.subtractingClamped(1))" } ?? ""
        let range = "Range: bytes=\(request.offset)-\(last)"
        return switch request.partial?.validator {
        case .strongETag(let tag) where request.needsMatch: [range, "If-Match: \(tag)"]
        case let validator?: [range, "If-Range: \(validator.ifRange)"]
        case nil: [range]
        }
    }
}
