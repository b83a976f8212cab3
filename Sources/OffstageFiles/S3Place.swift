// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A server that speaks S3, and the keys that sign requests to it. The AWS command line's variables and files determine
/// both, unless the caller overrides them.
package struct S3Place: Sendable, Hashable {
    /// A profile, or an account.
    package var keys: CredentialSource
    package var endpoint: S3Endpoint

    package init(keys: CredentialSource, endpoint: S3Endpoint) {
        self.keys = keys
        self.endpoint = endpoint
    }

    /// The caller's choices.
    package struct Wish: Sendable, Hashable {
        /// An account of the daemon's, instead of a profile. Its server comes from the account, not from the variables
        /// and files.
        package var account: String?
        package var profile: String?
        package var region: String?
        /// The base URL of a server that is not AWS.
        package var endpoint: String?

        package init(
            account: String? = nil,
            profile: String? = nil,
            region: String? = nil,
            endpoint: String? = nil
        ) {
            self.account = account
            self.profile = profile
            self.region = region
            self.endpoint = endpoint
        }

        /// Whether these choices, or the AWS command line's variables, name the keys that sign.
        package func namesKeys(_ environment: [String: String]) -> Bool {
            account != nil || profile != nil
                || ["AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID"].contains {
                    environment[$0].map { !$0.isEmpty } ?? false
                }
        }

        /// The server named by these choices or by the variables; nil if there is none.
        package func server(_ environment: [String: String]) -> String? {
            let named = [endpoint, environment["AWS_ENDPOINT_URL_S3"], environment["AWS_ENDPOINT_URL"]]
            return named.lazy.compactMap(\.self).first { !$0.isEmpty }.map(S3Place.tidied)
        }
    }

    /// The URL of a server in the form that is compared and signed: in lower case, without a trailing slash.
    package static func tidied(_ url: String) -> String {
        var url = url.lowercased()
        while url.hasSuffix("/") { url.removeLast() }  // checked: it ends with one
        return url
    }

    /// Why there is no place, without a full stop.
    package struct Problem: Error, Equatable {
        package var detail: String
        /// What to do, as a sentence.
        package var advice: String
    }

    /// Reads the variables and files. Blocking.
    ///
    /// - Parameters:
    ///   - wish: the caller's choices.
    ///   - environment: the variables.
    ///   - workingDirectory: resolves relative paths of files; empty if there is none.
    /// - Returns: the place.
    /// - Throws: `Problem` if no key can sign requests to it.
    package static func find(
        _ wish: Wish,
        _ environment: [String: String],
        workingDirectory: String
    ) throws(Problem) -> S3Place {
        if let account = wish.account {
            guard wish.profile == nil else {
                throw Problem(
                    detail: "both an account and a profile are named",
                    advice: "Name the one whose key signs."
                )
            }
            let region = wish.region ?? S3Endpoint.defaultRegion
            return S3Place(
                keys: .account(account),
                endpoint: S3Endpoint(base: wish.endpoint.map(tidied), region: region)
            )
        }
        func variable(_ names: String...) -> String? { names.compactMap { environment[$0] }.first { !$0.isEmpty } }
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)" }
        let name = wish.profile ?? variable("AWS_PROFILE", "AWS_DEFAULT_PROFILE") ?? "default"
        let home = variable("HOME") ?? ""
        let profile = AWSProfile(
            name: name,
            credentialsPath: absolute(variable("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials"),
            configPath: absolute(variable("AWS_CONFIG_FILE") ?? "\(home)/.aws/config")
        )
        let files = AWSProfileFiles(
            name,
            credentials: SmallFile.read(profile.credentialsPath, limit: AWSProfileFiles.longestFile),
            config: SmallFile.read(profile.configPath, limit: AWSProfileFiles.longestFile)
        )
        if case .failure(let failure) = files.keySource(of: profile) {
            throw Problem(
                detail: failure.detail,
                advice: variable("AWS_ACCESS_KEY_ID") == nil
                    ? "'aws configure --profile \(name.redactedControls)' creates one; docs/s3.md shows the file."
                    : "The keys in AWS_ACCESS_KEY_ID are gone when this process ends, but the upload may last longer: write them to a profile."
            )
        }
        let region = wish.region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? files.values["region"]
        let base = wish.server(environment) ?? files.values["endpoint_url"].map(tidied)
        return S3Place(
            keys: .profile(profile),
            endpoint: S3Endpoint(base: base, region: region ?? S3Endpoint.defaultRegion)
        )
    }
}
