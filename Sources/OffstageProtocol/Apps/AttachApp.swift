// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Puts the peer's process on stage: from now on it is supervised as its app's only process. Later frames on the
/// connection are `StageCommand` events from the daemon, and `StageReport` requests from the app, which have no reply.
///
/// The kernel identifies the process; arguments, folder and environment are read from `/proc`. A reconnecting process
/// attaches again, with its current state.
package struct AttachApp: WireRequest {
    package static let name = "app.attach"
    package struct Reply: Codable, Sendable, Equatable {
        /// `AppIdentity`.
        package var app: String
        /// Why the process was launched; `person` for one that the daemon did not launch.
        package var launch: LaunchCause
        /// For a launch in the background, when its time is over (`CLOCK_BOOTTIME`).
        package var timeEnds: Double?
        /// Whether the settings allow its refresh tasks.
        package var allowsRefresh: Bool
        /// Whether an app launched in the background receives `applicationDidEnterBackground` at launch; nil for no.
        package var entersBackground: Bool?
        package init(
            app: String,
            launch: LaunchCause,
            timeEnds: Double?,
            allowsRefresh: Bool = true,
            entersBackground: Bool? = nil
        ) {
            self.entersBackground = entersBackground
            self.app = app
            self.launch = launch
            self.timeEnds = timeEnds
            self.allowsRefresh = allowsRefresh
        }
    }
    package var view: StageView
    package init(view: StageView) { self.view = view }
}
