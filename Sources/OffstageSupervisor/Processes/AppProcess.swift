// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles
import Synchronization

/// A running process of an app, held by a pidfd, so that every action reaches either that process or none.
///
/// Calls may come from any thread, and never wait for the process. Each takes a few system calls for a process that
/// leads its group, and a walk over `/proc` for a tree.
package final class AppProcess: Sendable {
    package let identity: ProcessIdentity
    /// A pidfd, which is readable once the process has ended; closed with this object.
    package let descriptor: Int32
    /// The I/O priorities of its threads before it entered the background; nil in the foreground.
    private let foregroundPriorities = Mutex<[Int32: Int32]?>(nil)

    private init(_ identity: ProcessIdentity, descriptor: Int32) {
        self.identity = identity
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes hold of a process.
    ///
    /// - Returns: nil if it has ended, even if a later one has its number, and if there are no pidfds.
    package static func open(_ identity: ProcessIdentity) -> AppProcess? {
        guard identity.number > 0 else { return nil }
        let descriptor = offstage_pidfd_open(identity.number)
        guard descriptor >= 0 else { return nil }
        let process = AppProcess(identity, descriptor: descriptor)
        return process.status == nil ? nil : process
    }

    /// Whether it leads its process group, and this process is not in that group, so that signals go to the group.
    package var leadsGroup: Bool { reach == .group }

    /// Sends SIGSTOP to its group if it leads one, and otherwise to its tree; never to this process (`SignalReach`).
    ///
    /// `isStopped` reports when it has taken effect. It may have to be repeated for a child that is just being created
    /// in a tree.
    package func stop() { send(SIGSTOP) { $0.stop() } }

    /// Sends SIGCONT to the same processes as `stop`.
    package func resume() { send(SIGCONT) { $0.resume() } }

    /// Sends SIGKILL to the same processes as `stop`.
    package func kill() { send(SIGKILL) { $0.kill() } }

    private func send(_ signal: Int32, toTree body: (inout ProcessTree) -> Void) {
        switch reach {
        case .nobody: break
        case .group: _ = offstage_pidfd_signal_group(descriptor, identity.number, signal)
        case .tree:
            var tree = ProcessTree(root: identity.number, descriptor: descriptor)
            body(&tree)
        }
    }

    /// The processes that a signal reaches; none once it has ended.
    private var reach: SignalReach { status.map(reach) ?? .nobody }

    private func reach(_ status: ProcessStatus) -> SignalReach {
        SignalReach(app: (identity.number, status.group), own: (getpid(), getpgrp()))
    }

    /// Whether it is stopped, including its whole tree if it does not lead a group; nil once it has ended.
    package func isStopped() -> Bool? {
        guard let status else { return nil }
        // The kernel stops a group as a whole, so no child can escape.
        let isHalted = status.isHalted()
        guard isHalted, reach(status) == .tree else { return isHalted }
        var tree = ProcessTree(root: identity.number, descriptor: descriptor)
        return tree.isWhollyStopped()
    }

    /// Whether the process itself is stopped, and whether its group is the foreground group of its terminal. Nil
    /// without a terminal, and once it has ended.
    package func terminalStanding() -> (isStopped: Bool, isInFront: Bool)? {
        guard let status, status.terminalGroup > 0 else { return nil }
        return (status.isStopped, status.terminalGroup == status.group)
    }

    /// Sets its priority. In the background its I/O is served after that of all other processes, in the foreground as
    /// before. The same applies to the CPU in its own cgroup with that controller. A nice value could not be restored.
    package func setPriority(isBackground: Bool, freezer: Freezer? = nil) {
        if let freezer, let group = freezer.group(of: identity.number) {
            freezer.setWeight(group, isBackground: isBackground)
        }
        setIOPriority(isBackground: isBackground)
    }

    private func setIOPriority(isBackground: Bool) {
        foregroundPriorities.withLock { priorities in
            if isBackground {
                guard priorities == nil else { return }
                priorities = IOPriority.all(of: identity.number)
                IOPriority.set(.background, process: identity.number, isGroup: leadsGroup)
            } else {
                // An earlier daemon may have lowered it, and knew the original value.
                let before = priorities ?? [:]
                guard priorities != nil || IOPriority.of(identity.number) == .background else { return }
                priorities = nil
                let own = before[identity.number].map(IOPriority.init) ?? .unset
                IOPriority.set(own, process: identity.number, isGroup: leadsGroup)
                for thread in SmallFile.numbers(in: "/proc/\(identity.number)/task") {
                    if let value = before[thread], value != own.value { IOPriority(value: value).set(thread: thread) }
                }
            }
        }
    }

    /// The process's status; nil once it has ended.
    private var status: ProcessStatus? {
        guard let status = ProcessStatus.read(identity.number), status.identity == identity, !status.hasEnded else {
            return nil
        }
        return status
    }
}
