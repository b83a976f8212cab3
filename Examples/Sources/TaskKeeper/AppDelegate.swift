// SPDX-License-Identifier: Apache-2.0
import UIKit

// TaskKeeper FOLDER COUNT STEP…
//
// Begins COUNT background tasks when it is in the foreground, and takes the steps once it has been sent to background.
// FOLDER/events.log records when each was taken.

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let plan = Plan.current
    private var steps = Plan.current.steps
    private var hasBegun = false
    private lazy var log = AppLog(in: plan.folder)
    private lazy var keeper = TaskKeeper(application: .shared, log: log)

    func applicationDidBecomeActive(_ application: UIApplication) {
        guard !hasBegun else { return }
        hasBegun = true
        keeper.begin(plan.count)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        log.note("is in background")
        for step in steps {
            _ = Timer.scheduledTimer(withTimeInterval: step.delay, repeats: false) { [keeper, log] _ in
                for action in step.actions {
                    switch action {
                    case .end(let count): keeper.end(count)
                    case .endAll: keeper.end()
                    case .work(let name): log.note("works \(name)")
                    case .leak(let name): keeper.leak(name)
                    }
                }
            }
        }
        steps = []
    }
}
