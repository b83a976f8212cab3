// SPDX-License-Identifier: Apache-2.0

/// How the daemon gets a token from Google for an upload.
package struct GoogleCredentials: Sendable, Hashable {
    package var identity: GoogleIdentity
    /// The way to the server that gives tokens, which is the upload's own.
    package var proxy: ProxyEnvironment
    package var certificateAuthorityPath: String?

    package init(
        _ identity: GoogleIdentity,
        proxy: ProxyEnvironment = .init(),
        certificateAuthorityPath: String? = nil
    ) {
        self.identity = identity
        self.proxy = proxy
        self.certificateAuthorityPath = certificateAuthorityPath
    }

    /// Those of an upload, whose own way leads to the server that gives tokens.
    package init(_ identity: GoogleIdentity, of spec: TransferSpec) {
        self.init(identity, proxy: spec.proxy, certificateAuthorityPath: spec.certificateAuthorityPath)
    }
}
