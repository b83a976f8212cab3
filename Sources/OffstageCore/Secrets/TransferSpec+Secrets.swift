// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension TransferSpec {
    /// Looks for everything the transfer sends that may be a secret: values of header fields that are not known to be
    /// harmless, user and password, also for proxies, values of the URL's query, anything in its path that looks like a
    /// token, and the values of a form's fields.
    package var secretRedactor: SecretRedactor {
        var redactor = SecretRedactor()
        for field in headers where !HarmlessHeaders.isShown(field.name) {
            if redactor.isOverwhelmed { break }
            redactor.add(value: field.value)
        }
        if let credentials { redactor.add(user: credentials.user, password: credentials.password) }
        redactor.add(url: url)
        for address in mirrors?.addresses ?? [] where address.url != url { redactor.add(url: address.url) }
        for proxy in [proxy.http, proxy.https, proxy.all] {
            guard let proxy, let components = URLComponents(string: proxy.contains("://") ? proxy : "http://" + proxy)
            else { continue }
            redactor.add(user: components.user ?? "", password: components.password ?? "")
        }
        if case .form(let form) = direction {
            for part in form.parts { if case .value(let value) = part.content { redactor.add(value) } }
        }
        return redactor
    }

    /// Removes the values that were meant for one server only.
    ///
    /// - Returns: the names of the removed values, for people.
    mutating func dropSecrets() -> [String] {
        var dropped = headers.filter { !HarmlessHeaders.travels($0.name) }.map(\.name)
        headers.removeAll { !HarmlessHeaders.travels($0.name) }
        if credentials != nil { dropped.append("the user's name and password") }
        credentials = nil
        if pinnedKey != nil { dropped.append("the server's key") }
        pinnedKey = nil
        if connection?.certificatePath != nil { dropped.append("the client's certificate") }
        connection?.certificatePath = nil
        connection?.keyPath = nil
        if connection?.acceptsAnyCertificate != nil { dropped.append("the permission to accept any certificate") }
        connection?.acceptsAnyCertificate = nil
        if connection?.isUsual == true { connection = nil }
        setContentTypeOfForm()
        return dropped
    }
}

extension SecretRedactor {
    /// Words that many values begin with and that are not secret.
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "negotiate", "token", "apikey", "hmac", "aws4-hmac-sha256", "true", "false",
        "null",
    ]

    /// Adds the value of a header field: the whole value, each of its words, and the decoded text of each word in
    /// Base64.
    mutating func add(value: String) {
        add(value, isWord: true)
        let bytes = value.utf8
        var rest = bytes[...]
        while !rest.isEmpty, !isOverwhelmed {
            let end = rest.firstIndex { " \t,;&\"':=".utf8.contains($0) } ?? rest.endIndex
            let word = String(Substring(rest[..<end]))
            rest = rest[end...]
            // The text before `=` is a name, such as a cookie's, unless the sign is Base64 padding.
            let isName = rest.first == UInt8(ascii: "=") && !" =,;".utf8.contains(rest.dropFirst().first ?? 32)
            rest = rest.dropFirst()
            if word.isEmpty || isName || Self.schemes.contains(word.lowercased()) { continue }
            add(word)
            if word.contains("%") { add(DecodedText.plain(word)) }
            add(meaning: word)
        }
    }

    /// Adds decoded Base64, if it is text: `Basic` contains user and password.
    private mutating func add(meaning word: String) {
        guard word.utf8.count >= 6 else { return }
        let padding = String(repeating: "=", count: (4 - word.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: word + padding), data.allSatisfy({ (32..<127).contains($0) }) else {
            return
        }
        let text = String(decoding: data, as: UTF8.self)
        add(text)
        for piece in text.split(separator: ":", maxSplits: 1) { add(piece, isWord: true) }
    }

    mutating func add(user: String, password: String) {
        for text in Set([user, DecodedText.plain(user)]) { add(text, isWord: true) }
        for text in Set([password, DecodedText.plain(password)]) { add(text, isWord: true) }
        if !password.isEmpty { add(Data((user + ":" + password).utf8).base64EncodedString()) }
    }

    /// Adds possible secrets in a URL: user and password, the values of its query, and anything in its path that looks
    /// like a token.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - known: another URL: anything in both is not a secret of the first one; nil for none.
    package mutating func add(url: RequestURL, besides known: RequestURL? = nil) {
        guard let components = URLComponents(string: url.unredacted) else { return }
        add(user: components.user ?? "", password: components.password ?? "")
        var shared: Set<String> = []
        if let known, let others = URLComponents(string: known.unredacted) {
            let parts = Self.values(ofQueryIn: others) + Self.tokens(ofPathIn: others)
            shared = Set(parts.map(DecodedText.plain))
        }
        for value in Self.values(ofQueryIn: components) where !shared.contains(DecodedText.plain(value)) {
            add(value)
            if value.contains("%") { add(DecodedText.plain(value)) }
        }
        for token in Self.tokens(ofPathIn: components) where !shared.contains(DecodedText.plain(token)) {
            add(value: token)
        }
    }

    /// The values, in their encoded form.
    private static func values(ofQueryIn components: URLComponents) -> [String] {
        let items = components.percentEncodedQuery?.split(whereSeparator: { $0 == "&" || $0 == ";" }) ?? []
        return items.compactMap { $0.split(separator: "=", maxSplits: 1).last.map(String.init) }
    }

    private static func tokens(ofPathIn components: URLComponents) -> [String] {
        let path = components.percentEncodedPath
        return URLPath.tokens(path[...].utf8)
    }
}
