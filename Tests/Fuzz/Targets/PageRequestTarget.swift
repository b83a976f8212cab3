// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstagePage
import OffstageProtocol

/// Anything that reaches the page's port: the guard rejects requests without a secret, and an accepted one asks for no
/// more than a page may have. A method, a path, lines `name=value` of the query, lines `name:value` of the head, an
/// empty line and a body.
enum PageRequestTarget {
    private static let port: UInt16 = 8765
    private static let link = "0123456789abcdef"
    private static let cookie = "fedcba9876543210"

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        var guardian = PageGuard(at: .fixed, port: port, keys: PageKeys(link: link, cookie: cookie))
        var entrances = 0
        while !input.isAtEnd {
            let request = request(&input)
            switch guardian.verdict(on: request) {
            case .refused(let refusal): promise(refusal.status >= 400, "refused with \(refusal.status)")
            case .entered(let cookies):
                entrances += 1
                promise(entrances == 1 && request.path == PageGuard.entrance + link, "the link let in once too often")
                promise(cookies.allSatisfy { $0.contains("HttpOnly; SameSite=Strict") }, "a lax cookie")
            case .admitted: check(request, Array(input.part(endingAt: UInt8(ascii: "\0"))))
            }
        }
    }

    private static func request(_ input: inout FuzzInput) -> PageRequest {
        let line = UInt8(ascii: "\n")
        var request = PageRequest(
            method: text(input.part(endingAt: UInt8(ascii: " "))),
            path: text(input.part(endingAt: line))
        )
        while !input.isAtEnd {
            let field = text(input.part(endingAt: line))
            guard !field.isEmpty else { break }
            if let sign = field.firstIndex(of: ":") {
                request.headers[field[..<sign].lowercased(), default: []].append(String(field[sign...].dropFirst()))
            } else if let sign = field.firstIndex(of: "=") {
                request.query[String(field[..<sign])] = String(field[sign...].dropFirst())
            }
        }
        return request
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func check(_ request: PageRequest, _ body: [UInt8]) {
        let names = ["__Host-offstage-\(port)", "offstage-\(port)"]
        promise(request.cookies(names).contains(cookie), "let in without the cookie")
        promise(request.only("host") == "127.0.0.1:\(port)", "let in under another name")
        promise(
            request.method == "GET" || request.only("origin") == "http://127.0.0.1:\(port)",
            "a change from elsewhere"
        )
        guard let call = try? PageCall(request, body: body) else { return }
        switch call {
        case .list(let query): promise((1...PageBounds.rows).contains(query.limit), "a list of \(query.limit)")
        case .act(_, .ids(let ids)):
            promise((1...WatchTransfers.idLimit).contains(ids.count), "\(ids.count) transfers")
            promise(ids.allSatisfy { $0.rawValue > 0 }, "a transfer below 1")
        case .limit(_, let bytes): promise(bytes.map { $0 > 0 } ?? true, "a limit of nothing")
        case .timeline(let seconds): promise(seconds >= 60 && seconds <= 366 * 86_400, "a timeline of \(seconds)")
        default: break
        }
    }
}
