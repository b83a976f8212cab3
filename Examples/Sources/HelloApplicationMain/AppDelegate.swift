// SPDX-License-Identifier: Apache-2.0
import UIKit.UIApplication

/// An app in one file, as written before Swift 5.3.
@UIApplicationMain
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func applicationDidBecomeActive(_ application: UIApplication) {
        let hasEnd = application.backgroundTimeRemaining < .greatestFiniteMagnitude
        print("active, with \(hasEnd ? "an" : "no") end in sight")
        exit(0)
    }
}
