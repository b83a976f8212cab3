// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A session with the configuration: in the background for one that `background(withIdentifier:)` made, else
/// FoundationNetworking's own.
///
/// A function of the class's name: Swift prefers it to the initializer, so that code for Apple's platforms calls it
/// unchanged. The same background identifier twice gives the same session, with its first delegate.
///
/// <https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)>
///
/// - Parameters:
///   - configuration: copied; later changes to it do nothing.
///   - delegate: retained until the session has been invalidated.
///   - delegateQueue: where the delegate is called; nil for a serial queue of the session's own.
/// - Returns: the session, which lives until it is invalidated.
public func URLSession(
    configuration: URLSessionConfiguration,
    delegate: (any FoundationNetworking.URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil
) -> FoundationNetworking.URLSession {
    if let background = configuration as? BackgroundConfiguration {
        return BackgroundSessions.session(background, delegate: delegate, delegateQueue: delegateQueue)
    }
    return FoundationNetworking.URLSession(
        configuration: configuration,
        delegate: delegate,
        delegateQueue: delegateQueue
    )
}

/// A background session of the daemon that an environment leads to, in place of the process's own, and of an app that is
/// supervised or not, whatever the process is.
package func backgroundSession(
    _ configuration: URLSessionConfiguration,
    delegate: (any FoundationNetworking.URLSessionDelegate)?,
    delegateQueue: OperationQueue? = nil,
    environment: [String: String],
    isSupervised: Bool = LaunchEvents.isSupervised
) -> FoundationNetworking.URLSession? {
    (configuration as? BackgroundConfiguration).map {
        BackgroundSessions.session(
            $0,
            delegate: delegate,
            delegateQueue: delegateQueue,
            environment: environment,
            isSupervised: isSupervised
        )
    }
}
