// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// A part of an app that has a role on its link to the daemon, such as its life or its background sessions.
///
/// Every method is called on the link's thread, which must not be blocked: no app code runs there.
package protocol LinkUser: AnyObject, Sendable {
    /// The name of the events for this user.
    var eventName: String { get }
    /// Whether to connect if there is no connection.
    var wantsLink: Bool { get }
    /// Called after a call of `AppLink.wake`, or when there may have been one.
    func attend()
    /// Called when there is a new connection, on which nothing has been requested: roles and watches have to be
    /// requested again.
    func linked(_ line: LinkLine)
    /// Called when the connection is lost. Outstanding requests fail after this call.
    func linkLost()
    /// Called when an attempt to connect has failed.
    ///
    /// - Parameters:
    ///   - error: the reason.
    ///   - isTold: whether the failure is reported to callers waiting for a connection.
    func linkFailed(_ error: OffstageError, isTold: Bool)
    func received(_ event: WireFrame)
    /// Called when the kernel has accepted everything sent so far.
    func flushed()
}
