// SPDX-License-Identifier: Apache-2.0

/// The specification of a download from several addresses.
extension TransferSpec {
    /// The specification of requests to the address in use. As with a redirect, another server does not get values
    /// meant for the first address: header fields that are not known to be harmless, credentials and certificates.
    package var asSent: TransferSpec {
        guard let first = mirrors?.addresses.first?.url, !first.hasOrigin(of: url) else { return self }
        var spec = self
        _ = spec.dropSecrets()
        return spec
    }

    /// The length that the file must have, if known: given by the owner or, without a checksum, stated by an address
    /// that was left.
    package var expectedBytes: Int64? {
        guard let mirrors else { return nil }
        if let size = mirrors.size { return size }
        return wantedChecksum == nil ? mirrors.stated : nil
    }

    /// The checksum that the owner of a download has given.
    var wantedChecksum: Checksum? {
        if case .download(let target) = direction { target.checksum } else { nil }
    }

    /// Checks the addresses that a client has sent.
    func validateMirrors() throws(RequestError) {
        guard let mirrors else { return }
        guard !isUpload, method == "GET", dialect == nil, sessionTask == nil, resumesFrom == nil,
            headers["Range"] == nil
        else {
            throw .invalidValue("Only a download of a whole file can have mirrors")
        }
        guard statusPolicy == .retryTransientAndFailOnError, unauthorizedPolicy == .finish else {
            throw .invalidValue("With mirrors, every status from 300 counts as a failure")
        }
        let urls = mirrors.addresses.map(\.url)
        // checked: our own limit
        guard (1...MirrorList.mostMirrors + 1).contains(urls.count), Set(urls).count == urls.count else {
            throw .invalidValue("A file may have up to \(MirrorList.mostMirrors) mirrors, each named once")
        }
        guard urls.indices.contains(mirrors.current), urls[mirrors.current] == url else {
            throw .invalidValue("The URL of a download must be one of its addresses")
        }
        for url in urls { try proxy.validate(forScheme: url.scheme) }
    }
}
