// SPDX-License-Identifier: Apache-2.0

/// The head of a request, as the edge has read it.
package struct EmulatorRequest: Sendable {
    package var method: String
    /// Without the query.
    package var path: String
    /// Decoded; the first of several values.
    package var query: [String: String]
    /// Names in lower case; the first of several values.
    package var headers: [String: String]

    package init(method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:]) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    package func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// The media type without its parameters, in lower case; nil without a Content-Type.
    var mediaType: String? {
        header("Content-Type").map {
            String($0.prefix { $0 != ";" }).lowercased().filter { $0 != " " }
        }
    }

    /// The argument of a route whose body holds bytes: an ASCII header, or a URL parameter.
    func headerArgument(_ route: EmulatorRoute) -> Result<EmulatorJSON, DropboxRefusal> {
        func refuse(_ what: String) -> Result<EmulatorJSON, DropboxRefusal> {
            .failure(.malformed("\(route.complaint)\(what)"))
        }
        let text: String
        if let header = header("Dropbox-API-Arg") {
            guard header.utf8.allSatisfy({ $0 < 0x80 }) else {
                return refuse("HTTP header \"Dropbox-API-Arg\": could not decode input as JSON (not ASCII)")
            }
            text = header
        } else if let parameter = query["arg"] {
            text = parameter
        } else {
            return refuse("Must provide HTTP header \"Dropbox-API-Arg\" or URL parameter \"arg\".")
        }
        guard let json = EmulatorJSON(parsing: text) else {
            return refuse("HTTP header \"Dropbox-API-Arg\": could not decode input as JSON")
        }
        return .success(json)
    }

    /// Whether that header has an unescaped DEL character, which is ASCII but should be escaped.
    var hasRawDelete: Bool {
        guard let header = header("Dropbox-API-Arg") else { return false }
        return header.utf8.allSatisfy { $0 < 0x80 } && header.utf8.contains(0x7F)
    }

    /// Parses a single byte range: nil if it is not understood, empty if it contains no byte of the file.
    static func range(_ header: String, size: Int64) -> Range<Int64>? {
        guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (let first?, let last?):
            if last < first { return nil }
            return first >= size ? 0..<0 : first..<(last < size ? last + 1 : size)
        case (let first?, nil) where ends[1].isEmpty: return first >= size ? 0..<0 : first..<size
        case (nil, let count?) where ends[0].isEmpty: return max(0, size - count)..<size
        default: return nil
        }
    }
}
