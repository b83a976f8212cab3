// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's arguments: `FOLDER SERVER [INTERVAL [SHAPE]]`.
struct Plan {
    /// How the app schedules its work.
    enum Shape: String {
        /// For each identifier the request that its work needs; errors are logged.
        case proper
        /// As in many articles: a refresh request for every identifier, the next one once the task is completed, and
        /// `try?`.
        case articles
    }

    /// The counterpart of Documents on a phone.
    let folder: URL
    let server: URL
    /// Seconds between two refreshes; tidying comes after four intervals.
    let interval: TimeInterval
    let shape: Shape

    /// The plan from the command line.
    static let current: Plan = {
        guard let plan = Plan(CommandLine.arguments) else {
            print("usage: Daymark FOLDER SERVER [INTERVAL [proper|articles]]")
            exit(64)
        }
        return plan
    }()

    private init?(_ arguments: [String]) {
        guard (3...5).contains(arguments.count), let server = URL(string: arguments[2]),
            let interval = TimeInterval(arguments.count > 3 ? arguments[3] : "3600"), interval > 0,
            let shape = Shape(rawValue: arguments.count > 4 ? arguments[4] : "proper")
        else { return nil }
        folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        self.server = server
        self.interval = interval
        self.shape = shape
    }
}
