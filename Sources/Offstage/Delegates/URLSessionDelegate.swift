// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// Apple's delegate of a session: FoundationNetworking's protocol and the methods that it lacks.
///
/// <https://developer.apple.com/documentation/foundation/urlsessiondelegate>
@preconcurrency
public protocol URLSessionDelegate: FoundationNetworking.URLSessionDelegate {
    /// Called when all events that occurred while the app was gone have been delivered.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)>
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
