// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// Registers a handler for each argument `QUEUE:IDENTIFIER`; the queue is `nil`, `main` or `own`.
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        for argument in CommandLine.arguments.dropFirst(2) {
            let parts = argument.split(separator: ":").map(String.init)
            if parts.count == 2 { Handlers.shared.register(parts[0], parts[1]) }
        }
        Log.shared.note("didFinishLaunching")
        Orders.listen()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { Log.shared.note("didBecomeActive") }
    func applicationDidEnterBackground(_ application: UIApplication) { Log.shared.note("didEnterBackground") }
    func applicationWillTerminate(_ application: UIApplication) { Log.shared.note("willTerminate") }
}
