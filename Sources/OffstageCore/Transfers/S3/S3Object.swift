// SPDX-License-Identifier: Apache-2.0

/// An object at an endpoint, and the keys that sign for it: everything that a download from S3 needs.
package struct S3Object: Sendable, Hashable {
    /// The name of the dialect that reads it.
    package static let dialect = "s3"
    package static let purpose = "S3"
    /// Connections of one object's download, unless its owner chooses the number.
    package static let usualConnections = 8

    package var location: S3Location
    package var endpoint: S3Endpoint
    /// Where the keys come from: an account, or a profile.
    package var keys: CredentialSource

    package init(_ location: S3Location, at endpoint: S3Endpoint, keys: CredentialSource) {
        self.location = location
        self.endpoint = endpoint
        self.keys = keys
    }

    /// Refuses values that no endpoint accepts.
    package func validate() throws(RequestError) {
        try location.validate()
        try endpoint.validate()
        switch keys {
        case .account(let name): try Account.validate(name: name)
        case .profile(let profile): try profile.validate()
        case .google(let credentials): throw .invalidValue("\(credentials.identity.words) cannot sign for S3")
        }
    }

    /// The account whose key signs; nil for a profile.
    package var account: String? { if case .account(let name) = keys { name } else { nil } }

    /// The same object at its account's server, unless the owner has named one.
    package func at(_ account: Account?) -> S3Object {
        var object = self
        object.endpoint = endpoint.at(account?.s3)
        return object
    }

    /// The object's URL.
    ///
    /// - Throws: `RequestError` if there is none.
    package func url() throws(RequestError) -> RequestURL { try endpoint.url(of: location) }

    /// The server and the source of the keys, for people.
    package var summary: [String] {
        [endpoint.base.map { "at \(RequestURL.redact($0))" } ?? "region \(endpoint.region)", keys.shortWords]
    }

    /// `TransferSpec.dialect` of a download.
    ///
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    package func dialectSpec() throws(RequestError) -> DialectSpec {
        try dialectSpec(to: location.text)
    }
}

extension S3Object: DialectParameters {
    package func lentAccount() throws(RequestError) -> String? {
        guard let account else {
            throw .invalidValue("A row of a fleet is signed with a key of the member's accounts, and no profile")
        }
        return account
    }

    private enum CodingKeys: String, CodingKey {
        case bucket, key, endpoint, profile, account
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let account = try container.decodeIfPresent(String.self, forKey: .account)
        self.init(
            S3Location(
                bucket: try container.decode(String.self, forKey: .bucket),
                key: try container.decode(String.self, forKey: .key)
            ),
            at: try container.decode(S3Endpoint.self, forKey: .endpoint),
            keys: try account.map { .account($0) } ?? .profile(container.decode(AWSProfile.self, forKey: .profile))
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(location.bucket, forKey: .bucket)
        try container.encode(location.key, forKey: .key)
        try container.encode(endpoint, forKey: .endpoint)
        switch keys {
        case .account(let name): try container.encode(name, forKey: .account)
        case .profile(let profile): try container.encode(profile, forKey: .profile)
        case .google: break
        }
    }
}
