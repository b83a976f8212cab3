// SPDX-License-Identifier: Apache-2.0

/// The app and process of a connection's peer, and how the process was started, according to the kernel.
package struct AppFacts: Sendable {
    package var app: String
    package var process: ProcessIdentity
    package var executable: String
    package var information: AppRegistration.Information
    /// Only the recorded part of its environment.
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
