// SPDX-License-Identifier: Apache-2.0

/// The identity whose tokens authorize requests to Google. The daemon obtains a token when an attempt needs one, so a
/// renewed key file takes effect.
package enum GoogleIdentity: Sendable, Hashable {
    /// A key file in JSON: of a service account, or of a user (`gcloud auth application-default login`).
    case keyFile(String)
    /// A shell command that prints a token, such as `gcloud auth print-access-token`.
    case command(String)

    /// For sentences. A command is not shown, since it may contain a token.
    package var words: String {
        switch self {
        case .keyFile(let path): "the key file \(path.redactedControls)"
        case .command: "the token command"
        }
    }

    /// Bytes of the longest path and command.
    private static let longest = 4096

    /// - Throws: `RequestError` for an invalid path or command.
    package func validate() throws(RequestError) {
        switch self {
        case .keyFile(let path):
            guard path.hasPrefix("/"), path.utf8.count <= Self.longest, !path.utf8.contains(0) else {
                throw .invalidValue("The path of the key file is not absolute, or too long")
            }
        case .command(let command):
            guard (1...Self.longest).contains(command.utf8.count), !command.utf8.contains(0) else {
                throw .invalidValue("The token command is empty or has more than \(Self.longest) bytes")
            }
        }
    }
}

extension GoogleIdentity: Codable {
    private enum CodingKeys: String, CodingKey { case keyFile, command }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let path = try container.decodeIfPresent(String.self, forKey: .keyFile) {
            self = .keyFile(path)
        } else {
            self = .command(try container.decode(String.self, forKey: .command))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .keyFile(let path): try container.encode(path, forKey: .keyFile)
        case .command(let command): try container.encode(command, forKey: .command)
        }
    }
}
