// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// A session's delegate, as each protocol that it may conform to, and the session that is passed to it.
struct SessionAudience {
    let session: BackgroundURLSession
    let delegate: (any FoundationNetworking.URLSessionDelegate)?

    var own: (any URLSessionDelegate)? { delegate as? any URLSessionDelegate }
    var task: (any FoundationNetworking.URLSessionTaskDelegate)? {
        delegate as? any FoundationNetworking.URLSessionTaskDelegate
    }
    var data: (any FoundationNetworking.URLSessionDataDelegate)? {
        delegate as? any FoundationNetworking.URLSessionDataDelegate
    }
    var download: (any FoundationNetworking.URLSessionDownloadDelegate)? {
        delegate as? any FoundationNetworking.URLSessionDownloadDelegate
    }
    var ownTask: (any URLSessionTaskDelegate)? { delegate as? any URLSessionTaskDelegate }
}
