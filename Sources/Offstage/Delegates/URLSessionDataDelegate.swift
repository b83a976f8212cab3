// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// Apple's delegate of a session that receives bodies, such as a server's reply to an upload.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiondatadelegate>
@preconcurrency
public protocol URLSessionDataDelegate: URLSessionTaskDelegate, FoundationNetworking.URLSessionDataDelegate {}
