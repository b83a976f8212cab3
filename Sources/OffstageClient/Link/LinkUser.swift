// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// A part of an app that has a role on its link to the daemon, such as its life or its background sessions.
///
/// Everything is called on the link's thread, which must not be kept: no code of the app's runs there.
package protocol LinkUser: AnyObject, Sendable {
    /// The name of the events that are for this user.
    var eventName: String { get }
    /// Whether a connection is to be made when there is none.
    var wantsLink: Bool { get }
    /// `AppLink.wake` was called, or may have been.
    func attend()
    /// There is a new connection, on which nothing has been asked: roles and watches are to be asked for again.
    func linked(_ line: LinkLine)
    /// The connection is lost. The requests that were under way fail after this.
    func linkLost()
    /// A try to connect has failed.
    ///
    /// - Parameters:
    ///   - error: why.
    ///   - isTold: whether those who wait for a connection are told.
    func linkFailed(_ error: OffstageError, isTold: Bool)
    func received(_ event: WireFrame)
    /// Everything that was sent until now is in the hands of the kernel.
    func flushed()
}
