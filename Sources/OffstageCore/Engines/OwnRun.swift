// SPDX-License-Identifier: Apache-2.0

/// The app of a run that needs an idle machine: its own processor time does not count as that of others.
package struct OwnRun: Sendable, Hashable {
    package let process: ProcessIdentity
    /// The folder of the app's own cgroup; nil without one.
    package let group: String?

    package init(process: ProcessIdentity, group: String?) {
        self.process = process
        self.group = group
    }
}
