// SPDX-License-Identifier: Apache-2.0

/// A challenge for a certificate of this end; never made here.
///
/// <https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodclientcertificate>
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
