// SPDX-License-Identifier: Apache-2.0
// An app's own protocols, with the newer spelling of the handler, that UIApplication conforms to.
import UIKit

protocol BackgroundTasking {
    func beginBackgroundTask(withName: String?, expirationHandler: (@MainActor @Sendable () -> Void)?)
        -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(expirationHandler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
    var backgroundTimeRemaining: TimeInterval { get }
}

extension UIApplication: BackgroundTasking {}

@MainActor
protocol ApplicationProtocol: AnyObject {
    static var shared: UIApplication { get }
    var delegate: (any UIApplicationDelegate)? { get set }
    var applicationState: UIApplication.State { get }
    var backgroundRefreshStatus: UIBackgroundRefreshStatus { get }
    func canOpenURL(_ url: URL) -> Bool
    func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any]) async -> Bool
    func registerForRemoteNotifications()
    func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval)
}

extension UIApplication: ApplicationProtocol {}

@MainActor
protocol DeviceProtocol {
    var isMultitaskingSupported: Bool { get }
    var systemVersion: String { get }
    var identifierForVendor: UUID? { get }
}

extension UIDevice: DeviceProtocol {}

protocol ExpiringActivities {
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void)
}

extension ProcessInfo: ExpiringActivities {}
