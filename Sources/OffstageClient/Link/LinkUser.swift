// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// A part of an app that has a role on its link to the daemon, such as its life or its background sessions.
///
/// Every method is called on the link's thread, which must not be blocked: none of the app's code runs there.
package protocol LinkUser: AnyObject, Sendable {
    /// The name of the events that are for this user.
    var eventName: String { get }
    /// Whether to connect if there is no connection.
    var wantsLink: Bool { get }
    /// `AppLink.wake` was called, or may have been.
    func attend()
    /// There is a new connection, on which nothing has been asked: roles and watches have to be requested again.
    func linked(_ line: LinkLine)
    /// The connection is lost. Outstanding requests fail after this call.
    func linkLost()
    /// An attempt to connect has failed.
    ///
    /// - Parameters:
    ///   - error: the reason.
    ///   - isTold: whether the failure is reported to those who wait for a connection.
    func linkFailed(_ error: OffstageError, isTold: Bool)
    func received(_ event: WireFrame)
    /// Everything sent so far is in the hands of the kernel.
    func flushed()
}
