// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// URLs and header lines as people, apps and servers write them, and addresses in them.
enum URLTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let text = String(decoding: input.part(endingAt: UInt8(ascii: "\n")), as: UTF8.self)
        _ = RequestURL.redact(text)
        _ = IPAddress(literal: text)
        let url = try? RequestURL(text)
        if let url { check(url) }
        while !input.isAtEnd {
            let line = String(decoding: input.part(endingAt: UInt8(ascii: "\n")), as: UTF8.self)
            _ = CurlOrigin(line, relativeTo: url?.unredacted)
            guard let field = try? HeaderField(parsing: line) else { continue }
            _ = field.shown
            // Text derived from a secret is searched for it, and the secret is never left unchanged.
            let struck = SecretRedactor([field.value]).strike("<\(field.value)>" + text, isCut: true)
            let isSecret = field.value.utf8.count >= SecretRedactor.shortest && field.value != HeaderField.hidden
            promise(!isSecret || !struck.hasPrefix("<\(field.value)>"), "a secret is shown: \(line)")
            let forged = field.value.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 }
            promise(!forged && !field.name.isEmpty, "a header field forges another: \(line)")
        }
    }

    private static func check(_ url: RequestURL) {
        promise((1...65_535).contains(url.port), "port \(url.port)")
        promise(url.scheme == "http" || url.scheme == "https", "scheme \(url.scheme)")
        promise(!url.host.isEmpty, "no host in \(url.unredacted)")
        let shown = url.description
        promise(!shown.utf8.contains { $0 < 32 || $0 == 127 }, "control characters are shown")
        _ = url.hostKey
        // Secrets go where libcurl connects, which must be the host that people are shown.
        if isPlainName(url.host), let origin = CurlOrigin(url.unredacted) {
            promise(origin.host == url.host.lowercased(), "libcurl goes to \(origin.host), not \(url.host)")
            promise(origin.port == String(url.port), "libcurl goes to port \(origin.port), not \(url.port)")
        }
        if let name = url.fileName { promise(!name.isEmpty && !name.contains("/"), "'\(name)' is no file name") }
        // The URL is stored as its text, and parsed again by the next daemon.
        guard let again = try? RequestURL(url.unredacted) else {
            return promise(false, "what is stored of \(url.unredacted) cannot be read again")
        }
        promise(again.host == url.host && again.port == url.port, "\(url.unredacted) is another host when it is stored")
    }

    /// Whether libcurl uses the name unchanged: not an address, which can be written in many ways, and in ASCII.
    private static func isPlainName(_ host: String) -> Bool {
        let last = host.split(separator: ".").last?.utf8.first ?? 48
        return host.utf8.allSatisfy { $0 < 128 && $0 != UInt8(ascii: ":") } && !(48...57).contains(last)
    }
}
