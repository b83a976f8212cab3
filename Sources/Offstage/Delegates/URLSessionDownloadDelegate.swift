// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// Apple's delegate of a session that downloads to files.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate>
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate, FoundationNetworking.URLSessionDownloadDelegate {}
