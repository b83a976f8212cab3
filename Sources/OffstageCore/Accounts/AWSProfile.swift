// SPDX-License-Identifier: Apache-2.0

/// A profile in the files of the AWS command line. The daemon reads its keys each time it begins to sign, so renewed
/// keys take effect.
package struct AWSProfile: Sendable, Hashable, Codable {
    package var name: String
    /// Absolute paths of the two files, usually `~/.aws/credentials` and `~/.aws/config`.
    package var credentialsPath: String
    package var configPath: String

    package init(name: String, credentialsPath: String, configPath: String) {
        self.name = name
        self.credentialsPath = credentialsPath
        self.configPath = configPath
    }

    /// Bytes of the longest name and path.
    private static let longestName = 128
    private static let longestPath = 4096

    /// - Throws: `RequestError` for an invalid name or path.
    package func validate() throws(RequestError) {
        guard (1...Self.longestName).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 32 || $0 == 127 }),
            !name.contains("]")
        else {
            throw .invalidValue("'\(name.redactedControls)' cannot be a profile's name")
        }
        for path in [credentialsPath, configPath] {
            guard path.hasPrefix("/"), path.utf8.count <= Self.longestPath, !path.utf8.contains(0) else {
                throw .invalidValue("The profile '\(name)' is in a file whose path is not absolute")
            }
        }
    }
}
