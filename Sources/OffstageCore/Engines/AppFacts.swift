// SPDX-License-Identifier: Apache-2.0

/// Which app's which process is at the other end of a connection, and how it was started: what the kernel says.
package struct AppFacts: Sendable {
    package var app: String
    package var process: ProcessIdentity
    package var executable: String
    package var information: AppRegistration.Information
    /// Of its environment only what is recorded.
    package var launch: AppRegistration.Launch

    package init(
        app: String,
        process: ProcessIdentity,
        executable: String,
        information: AppRegistration.Information,
        launch: AppRegistration.Launch
    ) {
        self.app = app
        self.process = process
        self.executable = executable
        self.information = information
        self.launch = launch
    }
}
