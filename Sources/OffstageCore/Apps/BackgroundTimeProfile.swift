// SPDX-License-Identifier: Apache-2.0

/// How long an app may run in background. Apple documents no numbers. These were observed on its systems.
package struct BackgroundTimeProfile: Sendable, Hashable, Codable {
    /// Seconds for all background tasks of one backgrounding together.
    @Within<Durations> package var taskTime: Double

    package init(taskTime: Double) { self.taskTime = taskTime }

    package static let ios4 = BackgroundTimeProfile(taskTime: 600)
    package static let ios7 = BackgroundTimeProfile(taskTime: 180)
    package static let ios13 = BackgroundTimeProfile(taskTime: 30)

    /// Reads `ios4`, `ios7`, `ios13` or a number of seconds from 0.1 to 86400. Nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "ios4": self = .ios4
        case "ios7": self = .ios7
        case "ios13": self = .ios13
        default:
            guard let seconds = Double(text), (0.1...86_400).contains(seconds) else { return nil }
            self.init(taskTime: seconds)
        }
    }

    /// Its form in the settings.
    package var name: String {
        switch self {
        case .ios4: "ios4"
        case .ios7: "ios7"
        case .ios13: "ios13"
        default: taskTime == taskTime.rounded() ? String(Int(nearest: taskTime)) : String(taskTime)
        }
    }

    /// Seconds before the end at which expiration handlers are called.
    package var warning: Double { Self.warning(before: taskTime) }

    /// How long before the end of its time the app is warned: a sixth of the time, but at most five seconds. On a busy
    /// machine an app may wait half a second for a processor, so a short warning is not cut below one second, or half
    /// of the time.
    ///
    /// - Parameter seconds: the length of the time.
    /// - Returns: seconds.
    package static func warning(before seconds: Double) -> Double { min(5, max(seconds / 6, min(1, seconds / 2))) }

    /// Seconds within which `applicationDidEnterBackground` and `applicationWillTerminate` return.
    package static let delegateTime = 5.0
    /// Seconds within which the completion handler of `handleEventsForBackgroundURLSession` is called.
    package static let eventTime = 30.0
    /// Seconds from a launch to the return of `didFinishLaunching`.
    package static let launchTime = 20.0
}
