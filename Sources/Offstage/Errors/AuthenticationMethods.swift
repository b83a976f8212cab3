// SPDX-License-Identifier: Apache-2.0

/// A challenge for a client certificate; never made here.
///
/// <https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodclientcertificate>
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
