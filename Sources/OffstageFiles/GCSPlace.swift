// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A server of Google Cloud Storage, and the source of the tokens that authorize uploads there. Google's variables and
/// files determine both, unless the caller overrides them.
package struct GCSPlace: Sendable, Hashable {
    package var identity: GoogleIdentity
    /// The base URL; nil for Google's.
    package var endpoint: String?

    /// The caller's choices.
    package struct Wish: Sendable, Hashable {
        package var keyFile: String?
        package var tokenCommand: String?
        package var endpoint: String?

        package init(keyFile: String? = nil, tokenCommand: String? = nil, endpoint: String? = nil) {
            self.keyFile = keyFile
            self.tokenCommand = tokenCommand
            self.endpoint = endpoint
        }
    }

    /// Why there is no place, without a full stop.
    package struct Problem: Error, Equatable {
        package var detail: String
        /// What to do, as a sentence.
        package var advice: String
    }

    /// Reads the variables and the key file. Blocking.
    ///
    /// - Parameters:
    ///   - wish: the caller's choices.
    ///   - environment: the variables.
    ///   - workingDirectory: resolves a relative path of the key file; empty if there is none.
    /// - Returns: the place.
    /// - Throws: `Problem` if nothing can authorize an upload.
    package static func find(
        _ wish: Wish,
        _ environment: [String: String],
        workingDirectory: String
    ) throws(Problem) -> GCSPlace {
        var endpoint = wish.endpoint
        while endpoint?.hasSuffix("/") == true { endpoint?.removeLast() }  // checked: it ends with one
        endpoint = endpoint?.lowercased()
        if let command = wish.tokenCommand { return GCSPlace(identity: .command(command), endpoint: endpoint) }
        let named = [wish.keyFile, environment["GOOGLE_APPLICATION_CREDENTIALS"]].compactMap(\.self)
        let path = named.first { !$0.isEmpty } ?? usualPath(environment)
        let absolute = path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
        let bytes: [UInt8]
        do throws(SmallFile.Trouble) {
            bytes = try SmallFile.contents(of: absolute, limit: GoogleKey.longestFile)
        } catch {
            throw Problem(
                detail: "the key file \(absolute.redactedControls) cannot be read (\(error.detail))",
                advice:
                    "Name one with --key-file, sign in with 'gcloud auth application-default login', or give --token-command 'gcloud auth print-access-token'."
            )
        }
        if case .failure(let problem) = GoogleKey.read(bytes) {
            throw Problem(
                detail: "the key file \(absolute.redactedControls) \(problem.detail)",
                advice: "Name another one with --key-file, or give a --token-command."
            )
        }
        return GCSPlace(identity: .keyFile(absolute), endpoint: endpoint)
    }

    /// Where `gcloud auth application-default login` writes the key of a user.
    private static func usualPath(_ environment: [String: String]) -> String {
        let folder = environment["CLOUDSDK_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        return "\(folder ?? "\(environment["HOME"] ?? "")/.config/gcloud")/application_default_credentials.json"
    }
}
