// SPDX-License-Identifier: Apache-2.0

/// The parts of a request, by a browser or another client, that the rules examine.
package struct PageRequest: Sendable, Equatable {
    package var method: String
    /// The decoded path, without the query.
    package var path: String
    package var query: [String: String]
    /// The header fields by lowercase name; several fields of one name are several values.
    package var headers: [String: [String]]

    package init(
        method: String = "GET",
        path: String,
        query: [String: String] = [:],
        headers: [String: [String]] = [:]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
    }

    /// The value of a field that may occur once; nil if it is missing or occurs several times.
    package func only(_ name: String) -> String? {
        guard let values = headers[name], values.count == 1 else { return nil }
        return values[0]
    }

    /// The values of cookies with one of these names, in order.
    package func cookies(_ names: [String]) -> [String] {
        (headers["cookie"] ?? []).flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first?.trimmingBlanks, names.contains(name) else { return nil }
            return parts.last?.trimmingBlanks
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        let rest = drop { $0 == " " || $0 == "\t" }
        guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(rest[...last])
    }
}
