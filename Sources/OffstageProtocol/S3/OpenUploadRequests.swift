// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A server for requests that belong to no transfer, with the source of the key that signs them.
package struct S3Asking: Codable, Sendable, Equatable {
    package var endpoint: S3Endpoint
    /// The account whose key signs; nil for a profile.
    package var account: String?
    package var profile: AWSProfile?
    package var proxy: ProxyEnvironment
    package var certificateAuthorityPath: String?

    package init(
        at endpoint: S3Endpoint,
        account: String? = nil,
        profile: AWSProfile? = nil,
        proxy: ProxyEnvironment = .init(),
        certificateAuthorityPath: String? = nil
    ) {
        self.endpoint = endpoint
        self.account = account
        self.profile = profile
        self.proxy = proxy
        self.certificateAuthorityPath = certificateAuthorityPath
    }

    /// The source of the key.
    ///
    /// - Throws: `RequestError` for values that cannot form a request.
    package func keys() throws(RequestError) -> CredentialSource {
        try endpoint.validate()
        if let path = certificateAuthorityPath, !path.hasPrefix("/") {
            throw .invalidValue("The path of the file with the certificate authorities is not absolute")
        }
        if let account {
            try Account.validate(name: account)
            return .account(account)
        }
        guard let profile else { throw .invalidValue("Neither an account nor a profile is named") }
        try profile.validate()
        return .profile(profile)
    }
}

/// One page of the open multipart uploads in a bucket, as its server lists them.
package struct ListOpenUploads: WireRequest {
    package static let name = "s3.openUploads"
    package struct Reply: Codable, Sendable, Equatable {
        package var uploads: [OpenUpload]
        /// Where the next page begins; nil after the last page.
        package var next: S3UploadMarker?
        package init(uploads: [OpenUpload], next: S3UploadMarker?) {
            self.uploads = uploads
            self.next = next
        }
    }
    package var asking: S3Asking
    package var bucket: String
    /// The prefix of the keys; empty for all.
    package var prefix: String
    package var after: S3UploadMarker?

    package init(_ asking: S3Asking, bucket: String, prefix: String, after: S3UploadMarker?) {
        self.asking = asking
        self.bucket = bucket
        self.prefix = prefix
        self.after = after
    }

    /// - Throws: `RequestError` for values that no bucket can have.
    package func validate() throws(RequestError) {
        try S3Location(bucket: bucket, key: "key").validate()
        guard prefix.utf8.count <= S3UploadMarker.longestKey, !prefix.utf8.contains(0), after?.isSound ?? true else {
            throw .invalidValue("No object has such a key")
        }
    }
}

/// Aborts a multipart upload at its server, which discards its parts, unless a transfer on record uses it.
package struct AbortOpenUpload: WireRequest {
    package static let name = "s3.abortUpload"
    package typealias Reply = Empty
    package var asking: S3Asking
    package var bucket: String
    package var key: String
    /// The upload's whole ID.
    package var upload: String

    package init(_ asking: S3Asking, _ location: S3Location, upload: String) {
        self.asking = asking
        (bucket, key) = (location.bucket, location.key)
        self.upload = upload
    }

    /// The destination of the upload.
    package var location: S3Location { S3Location(bucket: bucket, key: key) }

    /// - Throws: `RequestError` for values that no server can have listed.
    package func validate() throws(RequestError) {
        try S3Location(bucket: location.bucket, key: "key").validate()
        guard S3UploadMarker(key: location.key, upload: upload).isSound, !upload.isEmpty else {
            throw .invalidValue("That is not the ID of an upload")
        }
    }
}

/// An upload that is still open at its server.
package struct OpenUpload: Codable, Sendable, Equatable {
    package var key: String
    package var id: String
    /// When it was begun; nil if the server does not report it.
    package var begun: Date?
    /// The transfer that uses it, or may: one for the same object that has not recorded its own upload yet.
    package var transfer: TransferID?
    package var isCertain: Bool

    package init(key: String, id: String, begun: Date?, transfer: TransferID? = nil, isCertain: Bool = true) {
        self.key = key
        self.id = id
        self.begun = begun
        self.transfer = transfer
        self.isCertain = isCertain
    }
}
