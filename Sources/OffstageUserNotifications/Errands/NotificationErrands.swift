// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore
import OffstageProtocol
import Synchronization

/// Forwards the daemon's calls to the app's delegate: notifications that are due while the app is in the foreground,
/// and responses. From any thread.
final class NotificationErrands: DeferredWorkHandler, @unchecked Sendable {
    private let port: DeferredWorkPort
    private let client: NotificationClient
    /// Returns the app's delegate and its center; nil without a delegate. Set once, before anything else is called.
    var delegate: @Sendable () -> (UNUserNotificationCenter, any UNUserNotificationCenterDelegate)? = { nil }

    init(_ port: DeferredWorkPort, _ client: NotificationClient) {
        self.port = port
        self.client = client
    }

    func start(_ launch: TaskLaunch, turn: UInt64) -> Bool {
        guard NotificationErrand.isErrand(launch.identifier), delegate() != nil else { return false }
        let number = launch.number
        client.onQueue { [self] in
            let reply = client.answer(TakeNotificationErrand(number: number))
            port.onMain { [self] in
                guard port.enter(number, turn: turn) else { return }
                guard let delivered = reply?.notification, let (center, delegate) = delegate() else {
                    return port.complete(number, success: false)
                }
                AppCode.current.run {
                    if let answer = reply?.answer {
                        receive(number, Conversion.response(delivered, answer), center, delegate)
                    } else {
                        present(number, Conversion.notification(delivered), center, delegate)
                    }
                }
            }
        }
        return true
    }

    private func receive(
        _ number: UInt64,
        _ response: UNNotificationResponse,
        _ center: UNUserNotificationCenter,
        _ delegate: any UNUserNotificationCenterDelegate
    ) {
        let port = port
        delegate.userNotificationCenter(center, didReceive: response) { port.complete(number, success: true) }
    }

    private func present(
        _ number: UInt64,
        _ notification: UNNotification,
        _ center: UNUserNotificationCenter,
        _ delegate: any UNUserNotificationCenterDelegate
    ) {
        let (port, client) = (port, client)
        delegate.userNotificationCenter(center, willPresent: notification) { options in
            client.onQueue {
                _ = client.answer(PresentNotification(number: number, options: options.rawValue))
                port.complete(number, success: true)
            }
        }
    }

    func startAgain(_ number: UInt64) {}

    /// Called when the completion handler was not called in time; a later call is ignored.
    func expire(_ number: UInt64, _ expiry: TaskExpiry) { port.complete(number, success: false) }

    func leaveOut(_ number: UInt64) {}
}
