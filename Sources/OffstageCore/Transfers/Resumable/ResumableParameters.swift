// SPDX-License-Identifier: Apache-2.0

/// An upload by the IETF's protocol for resumable uploads (draft-ietf-httpbis-resumable-upload): the request is the
/// owner's own, and a server that knows the protocol lets it be resumed. There is nothing to choose.
package enum ResumableParameters {
    /// The name of the dialect.
    package static let dialect = "resumable"

    /// `TransferSpec.dialect`.
    ///
    /// - Parameter url: where the file goes.
    /// - Returns: the dialect.
    package static func dialectSpec(at url: RequestURL) -> DialectSpec {
        DialectSpec(name: dialect, parameters: "{}", destination: url.description)
    }
}
