// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A server that speaks S3, and whose keys sign there: what the AWS command line's variables and files say, unless somebody
/// says otherwise.
package struct S3Place: Sendable, Hashable {
    package var profile: AWSProfile
    package var endpoint: S3Endpoint

    package init(profile: AWSProfile, endpoint: S3Endpoint) {
        self.profile = profile
        self.endpoint = endpoint
    }

    /// What somebody says.
    package struct Wish: Sendable, Hashable {
        package var profile: String?
        package var region: String?
        /// The base URL of a server that is not AWS.
        package var endpoint: String?

        package init(profile: String? = nil, region: String? = nil, endpoint: String? = nil) {
            self.profile = profile
            self.region = region
            self.endpoint = endpoint
        }
    }

    /// Why there is none, without a full stop.
    package struct Problem: Error, Equatable {
        package var detail: String
        /// What to do, as a sentence.
        package var advice: String
    }

    /// Reads the variables and files. Blocking.
    ///
    /// - Parameters:
    ///   - wish: what somebody says.
    ///   - environment: the variables.
    ///   - workingDirectory: for files that are named by a relative path; empty if there is none.
    /// - Returns: the place.
    /// - Throws: `Problem` if no key can sign there.
    package static func find(
        _ wish: Wish,
        _ environment: [String: String],
        workingDirectory: String
    ) throws(Problem) -> S3Place {
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
                    ? "'aws configure --profile \(name.redactedControls)' makes one; docs/s3.md shows the file."
                    : "The keys in AWS_ACCESS_KEY_ID end with this process, and the upload may not: write them to a profile."
            )
        }
        let region = wish.region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? files.values["region"]
        var base =
            wish.endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? files.values["endpoint_url"]
        while base?.hasSuffix("/") == true { base?.removeLast() }  // checked: it ends with one
        return S3Place(
            profile: profile,
            endpoint: S3Endpoint(base: base?.lowercased(), region: region ?? S3Endpoint.defaultRegion)
        )
    }
}
