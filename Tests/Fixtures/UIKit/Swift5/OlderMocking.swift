// SPDX-License-Identifier: Apache-2.0
// An app's own protocols, with the older spelling of the handler, that UIApplication conforms to.
import UIKit

protocol UIApplicationProtocol {
    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
        -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
    func open(
        _ url: URL,
        options: [UIApplication.OpenExternalURLOptionsKey: Any],
        completionHandler completion: ((Bool) -> Void)?
    )
    func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any]) async -> Bool
    var applicationState: UIApplication.State { get }
    var delegate: UIApplicationDelegate? { get set }
}

extension UIApplication: UIApplicationProtocol {}

class MockApplication: UIApplicationProtocol {
    var delegate: UIApplicationDelegate?
    var applicationState = UIApplication.State.background
    var ended: [UIBackgroundTaskIdentifier] = []

    func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
        -> UIBackgroundTaskIdentifier
    {
        UIBackgroundTaskIdentifier(rawValue: 1)
    }
    func beginBackgroundTask(expirationHandler handler: (() -> Void)?) -> UIBackgroundTaskIdentifier { .invalid }
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { ended.append(identifier) }
    func open(
        _ url: URL,
        options: [UIApplication.OpenExternalURLOptionsKey: Any],
        completionHandler completion: ((Bool) -> Void)?
    ) {
        completion?(true)
    }
    func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any]) async -> Bool { true }
}
