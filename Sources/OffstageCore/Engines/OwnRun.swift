// SPDX-License-Identifier: Apache-2.0

/// The app of a run that needs an idle machine: what it uses of the processors is not others'.
package struct OwnRun: Sendable, Hashable {
    package let process: ProcessIdentity
    /// The folder of the cgroup that is the app's alone; nil without one.
    package let group: String?

    package init(process: ProcessIdentity, group: String?) {
        self.process = process
        self.group = group
    }
}
