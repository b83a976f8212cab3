// SPDX-License-Identifier: Apache-2.0

/// How the daemon gets a token from Google for an upload.
package struct GoogleCredentials: Sendable, Hashable {
    package var identity: GoogleIdentity
    /// The proxies for the token server: the same as for the upload.
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

    /// The credentials of an upload, whose proxies are also used for the token server.
    package init(_ identity: GoogleIdentity, of spec: TransferSpec) {
        self.init(identity, proxy: spec.proxy, certificateAuthorityPath: spec.certificateAuthorityPath)
    }
}
