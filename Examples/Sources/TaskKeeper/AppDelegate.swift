// SPDX-License-Identifier: Apache-2.0
import UIKit

// TaskKeeper FOLDER COUNT STEP…
//
// Begins COUNT background tasks when it is in front, and takes the steps once it has been sent to background.
// FOLDER/events.log says when each was taken.

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let count: Int
    private var hasBegun = false
    private var steps: [Step]
    private let log: AppLog
    private let keeper: TaskKeeper

    override init() {
        let arguments = CommandLine.arguments
        let steps = arguments.dropFirst(3).map(Step.init)
        guard arguments.count >= 3, let count = Int(arguments[2]), steps.allSatisfy({ $0 != nil }) else {
            print("usage: TaskKeeper FOLDER COUNT [SECONDS:(end:COUNT|end:all|work:NAME|leak:NAME)]…")
            exit(64)
        }
        self.count = count
        self.steps = steps.compactMap { $0 }
        do {
            log = try AppLog(in: URL(fileURLWithPath: arguments[1], isDirectory: true))
        } catch {
            fatalError("\(arguments[1]) cannot be used: \(error.localizedDescription)")
        }
        keeper = TaskKeeper(application: .shared, log: log)
        super.init()
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        guard !hasBegun else { return }
        hasBegun = true
        keeper.begin(count)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        log.note("is in background")
        for step in steps {
            Timer.scheduledTimer(withTimeInterval: step.delay, repeats: false) { [keeper, log] _ in
                switch step.action {
                case .end(let count): keeper.end(count)
                case .endAll: keeper.end()
                case .work(let name): log.note("works \(name)")
                case .leak(let name): keeper.leak(name)
                }
            }
        }
        steps = []
    }
}
