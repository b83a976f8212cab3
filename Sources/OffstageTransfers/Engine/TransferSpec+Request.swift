// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension TransferSpec {
    /// The specification with which a dialect's request is sent.
    ///
    /// - Parameters:
    ///   - request: the request; nil for the owner's own.
    ///   - isAside: whether this is not the owner's request, but one about the same URL.
    /// - Returns: the specification of that request.
    func of(_ request: DialectRequest?, isAside: Bool = false) -> TransferSpec {
        guard let request else { return asSent }
        var spec = self
        spec.method = request.method
        spec.url = request.url
        spec.headers = request.headers
        if isAside { spec.idempotencyKey = nil }
        guard !request.isOwners else { return spec }
        // The rest of a plain upload is sent by the protocol for resumable uploads.
        if spec.dialect == nil { spec.dialect = ResumableParameters.dialectSpec(at: url) }
        // The dialect sets these, not the owner.
        spec.idempotencyKey = nil
        if !request.usesCredentials {
            spec.credentials = nil
            spec.connection = nil
            spec.pinnedKey = nil
        }
        spec.handlesChallengesByDefault = true
        // A token for this machine never goes through a proxy: plain http would reveal it there.
        if spec.url.scheme == "http", spec.url.isLoopback { spec.proxy = .init() }
        return spec
    }
}
