// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTransfers

/// The servers of the simulated network, which outlive any daemon.
///
/// Belongs to the simulation's single thread.
final class SimulatedServers {
    /// The outcome of a request.
    struct Outcome {
        var result: AttemptResult
        /// An event before the outcome, if the body is long.
        var receiving: EngineEvent?
        /// The offset in the file up to which everything was sent or written.
        var reached: Int64
    }

    static let uploads = "http://upload.example/"
    static let downloads = "http://download.example/"
    static let dropbox = "http://127.0.0.1:1"

    /// Receives descriptions of violations.
    var problem: (String) -> Void = { _ in }
    /// How often each file has arrived, and its latest content.
    private(set) var received: [String: (count: Int, bytes: [UInt8])] = [:]
    private(set) var emulator = EmulatedDropbox()

    init() {
        emulator.address = Self.dropbox
        emulator.rules.latency = 0
    }

    // MARK: Files

    /// The server's content under a name that begins with its length.
    static func content(of url: String) -> [UInt8] {
        let name = url.dropFirst(downloads.count)
        let parts = name.split(separator: "-")
        let length = Int(parts.first ?? "") ?? 0
        let seed = parts.dropFirst().first.flatMap { UInt8(truncatingIfNeeded: Int($0) ?? 0) } ?? 0
        return (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ seed }
    }

    /// Carries a request out.
    func answer(_ request: EngineRequest, now: Double) -> Outcome {
        if request.body == nil { return deliver(request, share: 1) }
        let bytes = sent(request)
        let url = request.spec.url.unredacted
        let reached = request.offset + (request.body?.count ?? 0)
        if url.hasPrefix(Self.dropbox) {
            return Outcome(result: .answered(dropbox(request, bytes, now: now)), reached: reached)
        }
        received[url] = (received[url, default: (0, [])].count + 1, bytes)
        return Outcome(result: .answered(Answer(status: 201, bodyStart: Array("stored".utf8))), reached: reached)
    }

    /// Delivers a part of a download whose connection breaks.
    func part(of request: EngineRequest, upTo share: Double) -> Outcome { deliver(request, share: share) }

    private func deliver(_ request: EngineRequest, share: Double) -> Outcome {
        let url = request.spec.url.unredacted
        let whole = Self.content(of: url)
        let total = Int64(whole.count)
        let tag = "\"\(total)\""
        if request.offset > 0, request.partial?.validator != .strongETag(tag) {
            problem("a download is resumed at \(request.offset) by \(String(describing: request.partial?.validator))")
        }
        let from = Int(min(request.offset, total))
        let end = share < 1 ? from + Int(Double(whole.count - from) * share) : whole.count
        let isRest = from > 0
        ftruncate(request.fileDescriptor, off_t(from))
        if end > from {
            let count = whole[from..<end].withUnsafeBytes {
                pwrite(request.fileDescriptor, $0.baseAddress, $0.count, off_t(from))
            }
            if count != end - from { problem("a download cannot be written") }
        }
        let isLong = isRest || total - Int64(from) > 1 << 20
        return Outcome(
            result: .answered(
                Answer(status: isRest ? 206 : 200, headers: [HeaderField(name: "ETag", value: tag)])
            ),
            receiving: isLong ? .receiving(request.key, validator: .strongETag(tag), total: total) : nil,
            reached: Int64(end)
        )
    }

    private func sent(_ request: EngineRequest) -> [UInt8] {
        var bytes: [UInt8] = []
        for segment in request.body?.segments ?? [] {
            switch segment {
            case .bytes(let some): bytes += some
            case .file(let range):
                let count = Int(range.count)
                bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                    filled = max(0, pread(request.fileDescriptor, buffer.baseAddress, count, off_t(range.offset)))
                }
            }
        }
        return bytes
    }

    // MARK: Dropbox

    private func dropbox(_ request: EngineRequest, _ bytes: [UInt8], now: Double) -> Answer {
        var headers: [String: String] = ["content-length": String(bytes.count)]
        for field in request.spec.headers { headers[field.name.lowercased()] = field.value }
        let path = String(request.spec.url.unredacted.dropFirst(Self.dropbox.count).prefix { $0 != "?" })
        let reply = call(EmulatorRequest(method: request.spec.method, path: path, headers: headers), bytes, now: now)
        guard let reply else { return Answer(status: 500) }
        return Answer(
            status: reply.status,
            headers: reply.headers.map { HeaderField(name: $0.name, value: $0.value) },
            bodyStart: Array(reply.text.utf8)
        )
    }

    private func call(_ request: EmulatorRequest, _ bytes: [UInt8], now: Double) -> EmulatorReply? {
        let call = emulator.begin(request, now: now)
        let receiver = BodyReceiver(call, limit: emulator.rules.maximumBody)
        bytes.withUnsafeBytes { receiver.receive($0) }
        return emulator.finish(call, receiver.result(isWhole: true), now: now).reply
    }

    /// A code as a person who signs in would get it.
    func signInCode(verifier: String, now: Double) -> String {
        let query = [
            "client_id": "app-key", "response_type": "code", "token_access_type": "offline",
            "code_challenge_method": "S256", "code_challenge": EmulatedDropbox.challenge(verifier),
        ]
        let reply = call(EmulatorRequest(method: "GET", path: "/oauth2/authorize", query: query), [], now: now)
        let text = reply?.text ?? ""
        guard let start = text.firstRange(of: #"id="auth-code">"#) else { return "" }
        return String(text[start.upperBound...].prefix { $0 != "<" })
    }

    func token(_ request: TokenRequest, now: Double) -> TokenAnswer {
        let path = String(request.url.unredacted.dropFirst(Self.dropbox.count))
        let (type, text) =
            switch request.body {
            case .form(let fields): ("application/x-www-form-urlencoded", URLEncodedForm.encode(fields))
            case .json(let text): ("application/json", text)
            // The simulation never asks these questions.
            case .signed, .question: ("", "")
            }
        var headers = ["content-type": type]
        if let bearer = request.bearer { headers["authorization"] = "Bearer \(bearer)" }
        let reply = call(EmulatorRequest(method: "POST", path: path, headers: headers), Array(text.utf8), now: now)
        return TokenAnswer(status: reply?.status ?? 500, body: Array((reply?.text ?? "").utf8), retryAfter: nil)
    }
}
