// SPDX-License-Identifier: Apache-2.0

/// An upload by the IETF's protocol for resumable uploads (draft-ietf-httpbis-resumable-upload): the request is the
/// owner's own, and a server that knows the protocol lets it be resumed. There are no parameters.
package struct ResumableParameters: DialectParameters {
    package static let dialect = "resumable"
    package static let purpose = "resumable uploads"
    package static var sendsOwnersRequests: Bool { true }

    package func validate() throws(RequestError) {}
    package func lentAccount() throws(RequestError) -> String? { nil }

    /// `TransferSpec.dialect`.
    ///
    /// - Parameter url: where the file goes.
    /// - Returns: the dialect.
    package static func dialectSpec(at url: RequestURL) -> DialectSpec {
        DialectSpec(name: dialect, parameters: "{}", destination: url.description)
    }
}
