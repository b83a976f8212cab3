// SPDX-License-Identifier: Apache-2.0

/// Why a request for a transfer is refused before it is queued.
package enum RequestError: Error, Sendable, Hashable {
    case invalidURL(String)
    case unsupportedScheme(String)
    case invalidHeader(String)
    case invalidMethod(String)
    case invalidChecksum(String)
    case invalidValue(String)

    /// The sentence as the middle of another sentence.
    package var middle: String {
        let sentence = sentence
        return sentence.prefix(1).lowercased() + sentence.dropFirst().dropLast()
    }

    /// A fleet's row would choose which server gets an account's token.
    static var serversOfAccount: RequestError {
        .invalidValue("A row of a fleet cannot name the servers of an account")
    }

    /// One sentence that states the problem and its remedy.
    package var sentence: String {
        switch self {
        case .invalidURL(let detail): "That is not a URL Offstage can use: \(detail)."
        case .unsupportedScheme(let scheme):
            "The scheme '\(scheme)' is not supported: use an http:// or https:// URL."
        case .invalidHeader(let detail): "That header cannot be sent: \(detail)."
        case .invalidMethod(let method):
            "'\(method.redactedControls)' is not an HTTP method: use a word such as PUT, POST or GET."
        case .invalidChecksum(let text):
            "'\(text.redactedControls)' is not a checksum: write it as sha256: and 64 hexadecimal digits."
        case .invalidValue(let detail): "\(detail)."
        }
    }
}
