// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator

/// A sequence of requests to the emulator, separated by NULs: path, headers by their first letters, body.
enum EmulatorTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let granted = first.granted
        var emulator = first.emulator
        var now = 0.0
        while !input.isAtEnd {
            now += Double(input.byte())
            request(&emulator, &input, granted, now)
        }
        _ = emulator.files()
        _ = emulator.reset()
    }

    /// With a token for the calls. This is a value: each input starts from the same one.
    private static let first = {
        var emulator = EmulatedDropbox(seed: 1)
        let granted = emulator.issueToken(now: 0)["access_token"].string ?? ""
        return (emulator: emulator, granted: granted)
    }()

    private static func request(
        _ emulator: inout EmulatedDropbox,
        _ input: inout FuzzInput,
        _ token: String,
        _ now: Double
    ) {
        let routes = EmulatorRoute.allCases
        let route = routes[input.choice(routes.count)]
        let code = input.byte()
        let text = String(decoding: input.part(endingAt: 0), as: UTF8.self)
        let body = Array(text.utf8)
        var headers = ["authorization": "Bearer \(token)", "content-length": "\(body.count)"]
        headers["dropbox-api-arg"] = text
        let isOAuth = route == .authorize || route == .token
        headers["content-type"] =
            isOAuth
            ? "application/x-www-form-urlencoded" : code & 32 == 32 ? "application/json" : "application/octet-stream"
        headers["range"] = text
        let prefix = isOAuth ? "/" : "/2/"
        let path = route == .temporaryUpload ? "/apitul/1/\(text)" : prefix + route.rawValue
        let call = emulator.begin(
            EmulatorRequest(method: "POST", path: path, query: ["arg": text], headers: headers),
            now: now
        )
        let parts = call.parts.map { ReceivedBody.Part(length: $0.length ?? 0, hasher: $0.hasher, offset: 0) }
        let received = ReceivedBody(
            length: Int64(body.count),
            parts: parts,
            bytes: call.needsBytes ? body : [],
            isWhole: code & 64 == 0
        )
        let outcome = emulator.finish(call, received, now: now)
        if let reply = outcome.reply { promise((100...599).contains(reply.status), "status \(reply.status)") }
    }
}
