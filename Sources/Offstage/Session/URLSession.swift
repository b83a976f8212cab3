// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Creates a session with the configuration: a background session if the configuration came from
/// `background(withIdentifier:)`, otherwise FoundationNetworking's own.
///
/// This is a function with the class's name. Swift prefers it to the initializer, so code for Apple's platforms calls
/// it unchanged. A second call with the same background identifier returns the same session, with its first delegate.
///
/// <https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)>
///
/// - Parameters:
///   - configuration: copied; later changes to it have no effect.
///   - delegate: retained until the session has been invalidated.
///   - delegateQueue: the queue on which the delegate is called; nil for the session's own serial queue.
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

/// Creates a background session with an explicit environment, which determines the daemon, and an explicit value for
/// whether the app is supervised, regardless of the process's own.
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
