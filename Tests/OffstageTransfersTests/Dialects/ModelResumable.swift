// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// A server of the IETF's protocol according to the draft, as a value: which parts of a request it stores, and how it
/// answers before and after the body has arrived.
struct ModelResumable: DialectPeer {
    struct Upload {
        var content = SymbolicContent()
        var length: Int64?
        var isComplete = false
    }

    /// The version that it speaks.
    var version = 8
    /// Whether another version is refused, as in SwiftNIO, and not treated as an ordinary upload.
    var refusesOthers = false
    /// Whether it supports the protocol.
    var isKnown = true
    /// Whether it sends 104.
    var sendsInterim = true
    var mostPerAppend: Int64?
    /// The target's own answer.
    var status = 201
    var uploads: [String: Upload] = [:]
    /// Uploads that reached the target.
    private(set) var completions = 0
    private(set) var requests: [DialectRequest] = []
    private var count = 0
    private var fileVersion = 1

    static let target = "https://files.example/in/film.mov"

    var isComplete: Bool { completions == 1 }

    private func speaks(_ request: DialectRequest) -> Bool {
        isKnown && request.headers["Upload-Draft-Interop-Version"] == "\(version)"
    }

    private var interop: [String: String] { ["Upload-Draft-Interop-Version": "\(version)"] }

    private func completeness(_ isComplete: Bool) -> [String: String] {
        version <= 3 ? ["Upload-Incomplete": isComplete ? "?0" : "?1"] : ["Upload-Complete": isComplete ? "?1" : "?0"]
    }

    /// Whether a request carries the end of the file; nil for a request that does not use the protocol.
    private func isLast(_ request: DialectRequest) -> Bool? {
        if version <= 3 { return request.headers["Upload-Incomplete"].map { $0 == "?0" } }
        return request.headers["Upload-Complete"].map { $0 == "?1" }
    }

    mutating func interim(_ request: DialectRequest) -> [HeaderField]? {
        guard speaks(request), request.url.unredacted == Self.target, sendsInterim, isLast(request) == true,
            mostPerAppend == nil
        else { return nil }
        count += 1
        uploads["\(count)"] = Upload(length: request.body.count)
        return ModelTus.answer(104, interop.merging(["Location": "/uploads/\(count)"]) { $1 }).headers
    }

    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
        handle(request, SymbolicContent(request.body, version: fileVersion))
    }

    mutating func handle(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        requests.append(request)
        guard request.url.unredacted == Self.target else { return ofUpload(request, body) }
        guard isKnown else { return done() }
        guard speaks(request), let isLast = isLast(request) else {
            return refusesOthers ? ModelTus.answer(400, interop) : done()
        }
        if let mostPerAppend, body.count > mostPerAppend {
            return ModelTus.answer(
                413,
                completeness(false).merging(["Upload-Limit": "max-append-size=\(mostPerAppend), max-age=600"]) { $1 }
            )
        }
        if !isLast || !sendsInterim || uploads["\(count)"]?.isComplete != false {
            count += isLast && sendsInterim ? 0 : 1
        }
        var upload = Upload(content: body, length: request.headers["Upload-Length"].flatMap { Int64($0) } ?? body.count)
        upload.isComplete = isLast
        uploads["\(count)"] = upload
        guard isLast else {
            return ModelTus.answer(201, completeness(false).merging(["Location": "/uploads/\(count)"]) { $1 })
        }
        return done()
    }

    /// The target's own answer to a whole upload.
    private mutating func done() -> Answer {
        completions += 1
        return ModelTus.answer(status, isKnown ? completeness(true) : [:])
    }

    private mutating func ofUpload(_ request: DialectRequest, _ body: SymbolicContent) -> Answer {
        let name = request.url.fileName ?? ""
        guard var upload = uploads[name] else { return ModelTus.answer(404) }
        let stands = completeness(upload.isComplete).merging(["Upload-Offset": "\(upload.content.count)"]) { $1 }
        switch request.method {
        case "HEAD": return ModelTus.answer(204, stands)
        case "DELETE":
            uploads[name] = nil
            return ModelTus.answer(204)
        case "PATCH":
            guard request.headers["Upload-Offset"] == "\(upload.content.count)", !upload.isComplete else {
                return ModelTus.answer(409, stands)
            }
            if let mostPerAppend, body.count > mostPerAppend { return ModelTus.answer(413, completeness(false)) }
            upload.content.append(body)
            upload.isComplete = isLast(request) == true
            uploads[name] = upload
            guard upload.isComplete else {
                return ModelTus.answer(
                    204,
                    completeness(false).merging(["Upload-Offset": "\(upload.content.count)"]) { $1 }
                )
            }
            return done()
        default: return ModelTus.answer(405)
        }
    }

    /// Keeps the rest of a request that was cut off: the bytes that had arrived.
    mutating func cutOff(_ request: DialectRequest, after bytes: Int64) {
        let part = SymbolicContent(request.body, version: fileVersion).prefix(bytes)
        if request.url.unredacted == Self.target {
            if sendsInterim, speaks(request) { uploads["\(count)"]?.content = part }
        } else {
            uploads[request.url.fileName ?? ""]?.content.append(part)
        }
    }

    static func spec(size: Int64, method: String = "PUT") throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .upload(DropboxBench.source(size: size)),
            url: try RequestURL(target),
            method: method,
            owner: "command"
        )
        spec.dialect = ResumableParameters.dialectSpec(at: spec.url)
        return spec
    }
}
