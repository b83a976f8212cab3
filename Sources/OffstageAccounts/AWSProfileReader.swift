// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
import OffstageFiles
package import OffstageRuntime

/// Reads the keys of the AWS command line's profiles.
package struct AWSProfileReader: Sendable {
    private let workers: WorkerPool
    private let readCommand: @Sendable (_ command: String, [String: String]) async -> String?

    /// - Parameters:
    ///   - workers: read the files.
    ///   - readCommand: runs a shell command, and returns its output; nil if it failed.
    package init(
        workers: WorkerPool,
        readCommand: @escaping @Sendable (_ command: String, [String: String]) async -> String?
    ) {
        self.workers = workers
        self.readCommand = readCommand
    }

    /// A profile's key, according to its files' present contents.
    ///
    /// - Parameters:
    ///   - profile: the profile.
    ///   - rejecting: the ID of a key that the server did not accept: if the files still contain it, there is no key.
    /// - Returns: the key, or why there is none.
    package func key(of profile: AWSProfile, rejecting: String?) async -> Result<GrantedToken, TransferFailure> {
        let source = await workers.run { Self.files(of: profile).flatMap { $0.keySource(of: profile) } }
        let words = CredentialSource.profile(profile).words
        do throws(TransferFailure) {
            let key: AccessKey
            switch try source.get() {
            case .key(let found): key = found
            case .command(let command):
                guard let output = await readCommand(command, [:]) else {
                    throw .init(.keyCommandFailed, "the credential_process of \(words) failed")
                }
                key = try Self.key(printed: output, words)
            }
            guard key.id != rejecting else {
                throw .init(.accessKeyRefused, "the server does not accept the key of \(words), which may have expired")
            }
            return .success(GrantedToken(key))
        } catch {
            return .failure(error)
        }
    }

    /// Reads a profile's files. Blocking.
    private static func files(of profile: AWSProfile) -> Result<AWSProfileFiles, TransferFailure> {
        do throws(TransferFailure) {
            let credentials = try contents(profile.credentialsPath)
            return .success(
                AWSProfileFiles(profile.name, credentials: credentials, config: try contents(profile.configPath))
            )
        } catch {
            return .failure(error)
        }
    }

    /// The contents of a file; nil if there is none.
    private static func contents(_ path: String) throws(TransferFailure) -> [UInt8]? {
        do throws(SmallFile.Trouble) {
            return try SmallFile.contents(of: path, limit: AWSProfileFiles.longestFile)
        } catch {
            if [.system(ENOENT), .system(ENOTDIR)].contains(error) { return nil }
            throw .init(.accessKeyRefused, "\(path.redactedControls) cannot be read (\(error.detail))")
        }
    }

    /// The output of a `credential_process`
    /// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html).
    private struct Printed: Decodable {
        var accessKeyID: String
        var secret: String
        var sessionToken: String?

        private enum CodingKeys: String, CodingKey {
            case accessKeyID = "AccessKeyId", secret = "SecretAccessKey", sessionToken = "SessionToken"
        }
    }

    private static func key(printed output: String, _ words: String) throws(TransferFailure) -> AccessKey {
        guard let printed = try? ForeignJSON.decode(Printed.self, from: Array(output.utf8)) else {
            throw .init(.accessKeyRefused, "the credential_process of \(words) prints no key in JSON")
        }
        let key = AccessKey(
            id: printed.accessKeyID,
            secret: printed.secret,
            sessionToken: printed.sessionToken.flatMap { $0.isEmpty ? nil : $0 }
        )
        guard key.isSound else {
            throw .init(.accessKeyRefused, "the key of \(words) contains characters no key can have")
        }
        return key
    }
}
