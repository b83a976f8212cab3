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
}
