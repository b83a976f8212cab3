// SPDX-License-Identifier: Apache-2.0
import CCrypto
public import Foundation

/// A certificate that a server presented
/// ([SecCertificate](https://developer.apple.com/documentation/security/seccertificate)).
public final class SecCertificate: Sendable, Hashable {
    let der: Data

    init(der: Data) {
        self.der = der
    }

    /// Whether both certificates are equal, byte for byte.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { left.der == right.der }

    /// Hashes the certificate's bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }

    /// The SHA-256 of the public key in curl's format for a pinned key, `sha256//` and Base64 (RFC 7469, section 2.4);
    /// nil if the bytes are not a certificate.
    var keyHash: String? {
        der.withUnsafeBytes { bytes -> String? in
            var start = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let certificate = d2i_X509(nil, &start, bytes.count) else { return nil }
            defer { X509_free(certificate) }
            var encoded: UnsafeMutablePointer<UInt8>?
            let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
            guard length > 0, let encoded else { return nil }
            defer { CRYPTO_free(encoded, #file, #line) }
            var digest = [UInt8](repeating: 0, count: 32)
            guard EVP_Digest(encoded, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
            return "sha256//" + Data(digest).base64EncodedString()
        }
    }

    /// The certificate's common name, otherwise its whole subject.
    var subject: String? {
        der.withUnsafeBytes { bytes -> String? in
            var start = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let certificate = d2i_X509(nil, &start, bytes.count) else { return nil }
            defer { X509_free(certificate) }
            let name = X509_get_subject_name(certificate)
            var text = [UInt8](repeating: 0, count: 256)
            let length = text.withUnsafeMutableBytes { buffer in
                X509_NAME_get_text_by_NID(
                    name,
                    NID_commonName,
                    buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(buffer.count)
                )
            }
            if length > 0 { return String(decoding: text.prefix(Int(length)), as: UTF8.self) }
            guard let line = X509_NAME_oneline(name, nil, 0) else { return nil }
            defer { CRYPTO_free(line, #file, #line) }
            return String(cString: line)
        }
    }
}

/// The certificate in DER.
///
/// [SecCertificateCopyData](https://developer.apple.com/documentation/security/seccertificatecopydata(_:))
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { certificate.der }

/// A readable summary of the certificate's subject; nil if it cannot be read.
///
/// [SecCertificateCopySubjectSummary](https://developer.apple.com/documentation/security/seccertificatecopysubjectsummary(_:))
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> String? { certificate.subject }
