// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The dialect of a download whose server states by status what it wants: 401 another key, 409 the same request
/// again. 410 refuses for good, 412 means that the file has changed, and 429 that the server is busy.
struct ScriptedDownload: DownloadDialect {
    static let name = "scripted"
    static let source = CredentialSource.account("scripted")
    static let refusal = TransferFailure(.accessKeyRefused, "it may not")

    private var key: String?
    private(set) var rejected: String?

    private let url: RequestURL
    private let inquires: Bool

    // With `inquires`, it requests the file's head first.
    init(inquires: Bool = false) throws {
        url = try RequestURL("https://files.example.org/a")
        self.inquires = inquires
    }

    init(_ spec: TransferSpec) throws(RequestError) {
        url = spec.url
        inquires = false
    }

    static func options(of spec: TransferSpec) -> String? { nil }
    static func account(of spec: TransferSpec) throws(RequestError) -> String? { nil }
    static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec { spec }

    var tokenPlaces: [String] { [] }
    var asksFor: CredentialSource? { key == nil ? Self.source : nil }

    mutating func authorized(_ token: GrantedToken) { key = token.text.isEmpty ? nil : token.text }

    mutating func inquiry(now: Moment) -> DialectRequest? { inquires ? request("HEAD", lane: 0, now) : nil }

    mutating func request(lane: Int, now: Moment) -> DialectRequest { request("GET", lane: lane, now) }

    /// A request whose header states the key and the time with which it was made.
    private func request(_ method: String, lane: Int, _ now: Moment) -> DialectRequest {
        let value = "\(key ?? "none") at \(Int(now.wall.timeIntervalSince1970))"
        return DialectRequest(lane: lane, method: method, url: url, headers: [HeaderField(name: "Key", value: value)])
    }

    func shown(_ answer: Answer, lane: Int) -> Answer {
        var answer = answer
        answer.headers.removeAll { $0.name == "Key" }
        return answer
    }

    mutating func answered(_ answer: Answer, lane: Int, now: Moment) -> DownloadVerdict {
        switch answer.status {
        case 401:
            (rejected, key) = (key, nil)
            return .ask
        case 409: return .ask
        case 410: return .fail(Self.refusal)
        case 412: return .beginAgain
        case 429: return .fail(TransferFailure(.serverBusy, "it is busy"))
        default: return .counts
        }
    }
}
