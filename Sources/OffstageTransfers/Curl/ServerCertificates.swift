// SPDX-License-Identifier: Apache-2.0
import CCrypto
import CCurl
import OffstageCore

/// The certificates that a server presented, even if they were not accepted: libcurl reports them only for a successful
/// handshake.
///
/// Only the engine's thread touches it. It lives as long as an attempt, or any connection made for it, since OpenSSL
/// keeps a pointer to it with the connection.
final class ServerCertificates {
    /// The certificates of the latest handshake in DER, the server's own first.
    private(set) var chain: [Base64Bytes] = []

    /// The maximum number of kept certificates: more than any honest server sends.
    private static let chainLimit = 16

    /// Whether libcurl's TLS library is the one that this code calls.
    private static let isSupported =
        curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version.map { String(cString: $0).hasPrefix("OpenSSL/3") }
        ?? false

    /// The index at which a TLS context holds its pointer.
    private static let contextIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil) {
        _,
        pointer,
        _,
        _,
        _,
        _ in
        if let pointer { Unmanaged<ServerCertificates>.fromOpaque(pointer).release() }
    }

    /// Watches the handshakes of connections that the handle will make.
    func watch(_ handle: CurlHandle) {
        guard Self.isSupported, Self.contextIndex >= 0 else { return }
        handle.setTLSCallback(Self.onContext, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let onContext: curl_ssl_ctx_callback = { _, context, pointer in
        guard let context, let pointer else { return CURLE_OK }
        let this = Unmanaged<ServerCertificates>.fromOpaque(pointer).retain()
        guard SSL_CTX_set_ex_data(OpaquePointer(context), contextIndex, pointer) == 1 else {
            this.release()
            return CURLE_OK
        }
        SSL_CTX_set_cert_verify_callback(OpaquePointer(context), onVerify, pointer)
        return CURLE_OK
    }

    /// Decides as OpenSSL would on its own.
    private static let onVerify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
        verification,
        pointer in
        guard let verification, let pointer else { return 0 }
        Unmanaged<ServerCertificates>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.record(verification) }
        return X509_verify_cert(verification)
    }

    private func record(_ verification: OpaquePointer) {
        chain = []
        for index in 0..<Self.chainLimit {
            guard let certificate = offstage_sent_certificate(verification, Int32(index)) else { return }
            let length = Int(i2d_X509(certificate, nil))
            guard length > 0 else { return }
            let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                var end = buffer.baseAddress
                i2d_X509(certificate, &end)
                count = length
            }
            chain.append(Base64Bytes(bytes: bytes))
        }
    }
}
