// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's arguments: `FOLDER COUNT STEP…`.
struct Plan: Sendable {
    let folder: URL
    /// The number of background tasks to begin.
    let count: Int
    /// The steps to take in background.
    let steps: [Step]

    /// The plan from the command line.
    static let current: Plan = {
        guard let plan = Plan(CommandLine.arguments) else {
            print("usage: TaskKeeper FOLDER COUNT [SECONDS:ACTION[,ACTION]…]…")
            print("actions: end:COUNT, end:all, work:NAME, leak:NAME")
            exit(64)
        }
        return plan
    }()

    private init?(_ arguments: [String]) {
        guard arguments.count >= 3, let count = Int(arguments[2]) else { return nil }
        folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        self.count = count
        steps = arguments.dropFirst(3).compactMap(Step.init)
        guard steps.count == arguments.count - 3 else { return nil }
    }
}
