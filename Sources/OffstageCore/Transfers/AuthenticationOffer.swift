// SPDX-License-Identifier: Apache-2.0

/// One way to authenticate that a 401 offers (RFC 9110, section 11.6.1).
package struct AuthenticationOffer: Sendable, Equatable {
    /// In lower case.
    package var scheme: String
    package var realm: String?

    package init(scheme: String, realm: String? = nil) {
        self.scheme = scheme
        self.realm = realm
    }

    /// All offers of a response, in order. One field may hold several, with commas between and within them.
    package static func offers(in headers: [HeaderField]) -> [AuthenticationOffer] {
        headers.filter { $0.name.caseInsensitiveEquals("WWW-Authenticate") }.flatMap { read($0.value) }
    }

    private static func read(_ value: String) -> [AuthenticationOffer] {
        var offers: [AuthenticationOffer] = []
        for item in items(Array(value.utf8)) {
            var rest = item[...]
            let word = consumeToken(&rest)
            guard !word.isEmpty else { continue }
            let hasSpace = rest.first.map(isSpace) ?? true
            skipSpaces(&rest)
            if rest.first == UInt8(ascii: "=") {
                parameter(word, rest.dropFirst(), of: &offers)
            } else if hasSpace {
                offers.append(AuthenticationOffer(scheme: word.lowercased()))
                let name = consumeToken(&rest)
                skipSpaces(&rest)
                if rest.first == UInt8(ascii: "=") { parameter(name, rest.dropFirst(), of: &offers) }
            }
        }
        return offers
    }

    private static func parameter(_ name: String, _ value: ArraySlice<UInt8>, of offers: inout [AuthenticationOffer]) {
        guard let last = offers.indices.last, offers[last].realm == nil, name.lowercased() == "realm" else { return }
        var value = value
        skipSpaces(&value)
        guard value.first == UInt8(ascii: "\"") else {
            offers[last].realm = consumeToken(&value)
            return
        }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in value.dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\"") { break }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { text.append(byte) }
        }
        offers[last].realm = String(decoding: text, as: UTF8.self)
    }

    /// The items between commas, ignoring commas within quotation marks.
    private static func items(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var items: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, byte == UInt8(ascii: ",") {
                items.append(bytes[start..<index])
                start = index + 1
            }
        }
        items.append(bytes[start...])
        return items.map { item in
            var item = item
            skipSpaces(&item)
            return item
        }
    }

    private static func consumeToken(_ bytes: inout ArraySlice<UInt8>) -> String {
        let token = bytes.prefix { !isSpace($0) && !"=,\"".utf8.contains($0) }
        bytes = bytes.dropFirst(token.count)
        return String(decoding: token, as: UTF8.self)
    }

    private static func skipSpaces(_ bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.drop(while: isSpace)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
}
