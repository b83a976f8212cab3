// SPDX-License-Identifier: Apache-2.0

/// A profile in the files of the AWS command line
/// (https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html).
///
/// Parsed here and not by a library: Debian's libinih cuts lines after 200 bytes, and a session token is longer.
package struct AWSProfileFiles: Sendable {
    /// The profile's settings, by their names in lower case: `credentials` takes precedence over `config`. Empty
    /// settings are left out.
    package var values: [String: String] { config.merging(credentials) { $1 } }
    private var credentials: [String: String] = [:]
    private var config: [String: String] = [:]
    /// Whether one of the files has the profile.
    package private(set) var isThere = false

    /// The maximum number of bytes to read from a file.
    package static let longestFile = 1 << 20

    /// - Parameters:
    ///   - profile: its name.
    ///   - credentials: the content of `~/.aws/credentials`; nil if there is no such file.
    ///   - config: the content of `~/.aws/config`; nil if there is no such file.
    package init(_ profile: String, credentials: [UInt8]?, config: [UInt8]?) {
        let ofConfig = profile == "default" ? ["default", "profile default"] : ["profile \(profile)"]
        if let config { self.config = read(config, sections: ofConfig) }
        if let credentials { self.credentials = read(credentials, sections: [profile]) }
    }

    private mutating func read(_ bytes: [UInt8], sections: [String]) -> [String: String] {
        var values: [String: String] = [:]
        var isInside = false
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            // Nested settings are indented, and comments begin with a sign.
            guard let first = line.first, ![9, 32, UInt8(ascii: "#"), UInt8(ascii: ";")].contains(first) else {
                continue
            }
            if first == UInt8(ascii: "[") {
                let end = line.firstIndex(of: UInt8(ascii: "]")) ?? line.endIndex
                isInside = sections.contains(Self.words(line[..<end].dropFirst()))
                isThere = isThere || isInside
                continue
            }
            guard isInside, let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = Self.words(line[equals...].dropFirst())
            values[Self.words(line[..<equals]).lowercased()] = value.isEmpty ? nil : value
        }
        return values
    }

    /// A text with surrounding spaces removed and repeated spaces collapsed: `[profile  work]`.
    private static func words(_ bytes: some Collection<UInt8>) -> String {
        bytes.split(whereSeparator: { $0 == 32 || $0 == 9 }).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: " ")
    }

    /// How the profile provides a key.
    package enum KeySource: Sendable, Equatable {
        case key(AccessKey)
        /// A command that prints one (`credential_process`).
        case command(String)
    }

    /// Where the key is.
    ///
    /// - Parameter profile: for the failure.
    /// - Returns: the source, or a failure that names what is missing.
    package func keySource(of profile: AWSProfile) -> Result<KeySource, TransferFailure> {
        let name = "the profile '\(profile.name.redactedControls)'"
        guard isThere else {
            return .failure(
                .init(
                    .accessKeyRefused,
                    "there is no profile '\(profile.name.redactedControls)' in \(profile.credentialsPath.redactedControls)"
                )
            )
        }
        // In the command line, too, these take precedence over a key, which would belong to another identity.
        let indirect = ["role_arn", "web_identity_token_file", "sso_session", "sso_start_url", "login_session"].first {
            values[$0] != nil
        }
        if indirect == nil {
            // From one file: a key's parts belong together.
            for values in [credentials, config] {
                guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
                    continue
                }
                let key = AccessKey(id: id, secret: secret, sessionToken: values["aws_session_token"])
                guard key.isSound else {
                    return .failure(.init(.accessKeyRefused, "the key of \(name) contains characters no key can have"))
                }
                return .success(.key(key))
            }
            if let command = values["credential_process"] { return .success(.command(command)) }
        }
        guard let indirect else {
            return .failure(.init(.accessKeyRefused, "\(name) has no aws_access_key_id and aws_secret_access_key"))
        }
        return .failure(
            .init(
                .accessKeyRefused,
                "\(name) gets its key from \(indirect), which only the AWS command line supports: give another profile credential_process = aws configure export-credentials --profile \(profile.name.redactedControls) --format process"
            )
        )
    }
}
