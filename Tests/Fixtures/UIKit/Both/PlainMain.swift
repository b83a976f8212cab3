// SPDX-License-Identifier: Apache-2.0
// A delegate that is not a UIResponder and overrides its initializer.
import UIKit

@main
final class AppDelegate: NSObject, UIApplicationDelegate {
    private let began: Date

    override init() {
        began = Date()
        super.init()
    }

    func applicationDidFinishLaunching(_ application: UIApplication) {
        print(began)
    }
}
