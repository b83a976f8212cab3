// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// Apple's delegate of a session: FoundationNetworking's protocol with what it lacks.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiondelegate>
@preconcurrency
public protocol URLSessionDelegate: FoundationNetworking.URLSessionDelegate {
    /// Everything that happened to the session while the app was gone has been told.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)>
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
