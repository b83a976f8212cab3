// SPDX-License-Identifier: Apache-2.0
import Foundation
public import FoundationNetworking

/// The certificates of a server whose handshake failed, for a delegate to decide about
/// ([SecTrust](https://developer.apple.com/documentation/security/sectrust)).
///
/// On Apple's platforms a delegate is asked during the handshake, before the system's verdict. Here the system has
/// already rejected the certificate: `SecTrustEvaluateWithError` reports that, and `URLCredential(trust:)` accepts the
/// server's key nevertheless, for this task.
public final class SecTrust: Sendable {
    /// The certificates, the server's own first.
    let certificates: [SecCertificate]

    init(certificates: [SecCertificate]) {
        self.certificates = certificates
    }
}

/// The authentication method of a challenge about a server's certificates.
///
/// [NSURLAuthenticationMethodServerTrust](https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodservertrust)
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// Whether the system accepts the certificates. Always false: a delegate is asked only about certificates that the
/// system does not accept.
///
/// - Parameters:
///   - trust: the trust object of a challenge's protection space.
///   - error: set to `URLError.serverCertificateUntrusted`.
/// - Returns: false.
///
/// [SecTrustEvaluateWithError](https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:))
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<(any Error)?>?) -> Bool {
    error?.pointee = URLError(.serverCertificateUntrusted)
    return false
}

/// The number of certificates that the server presented.
///
/// [SecTrustGetCertificateCount](https://developer.apple.com/documentation/security/sectrustgetcertificatecount(_:))
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.certificates.count }

/// The certificate at an index, where 0 is the server's own; nil if the index is out of range.
///
/// [SecTrustGetCertificateAtIndex](https://developer.apple.com/documentation/security/sectrustgetcertificateatindex(_:_:))
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
    trust.certificates.indices.contains(index) ? trust.certificates[index] : nil
}

/// All certificates that the server presented, its own first: `SecCertificate`s, untyped like Apple's array.
///
/// [SecTrustCopyCertificateChain](https://developer.apple.com/documentation/security/sectrustcopycertificatechain(_:))
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [Any]? { trust.certificates }

/// The protection space of a server whose certificate is in question.
///
/// Unchecked: it adds to its base class only a constant.
final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {
    let trust: SecTrust

    init(host: String, port: Int, trust: SecTrust) {
        self.trust = trust
        super.init(
            host: host,
            port: port,
            protocol: "https",
            realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust
        )
    }
}

extension URLProtectionSpace {
    /// The server's certificates; nil unless the authentication method is `NSURLAuthenticationMethodServerTrust`.
    ///
    /// [serverTrust](https://developer.apple.com/documentation/foundation/urlprotectionspace/servertrust)
    public var serverTrust: SecTrust? { (self as? ServerTrustSpace)?.trust }
}

extension URLCredential {
    /// The user name that stands for "trust this key"; no HTTP user name can contain a NUL.
    private static let trustMarker = "\0trust"

    /// Accepts the key that the server presented, regardless of its certificate.
    ///
    /// [init(trust:)](https://developer.apple.com/documentation/foundation/urlcredential/init(trust:))
    public convenience init(trust: SecTrust) {
        self.init(user: Self.trustMarker, password: trust.certificates.first?.keyHash ?? "", persistence: .none)
    }

    /// The key to trust, as `TransferSpec.pinnedKey`; nil for a name and password.
    var trustedKey: String? {
        guard user == Self.trustMarker, let password, !password.isEmpty else { return nil }
        return password
    }
}
