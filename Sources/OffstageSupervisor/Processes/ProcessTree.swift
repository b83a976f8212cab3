// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageFiles

/// A process and its descendants in its session, each held by a pidfd, so that no signal reaches a later process with
/// the same number.
///
/// Not included: children left to init by an ended parent; processes with their own session, such as a daemon that it
/// started; the orphans of other processes that it inherited; and this process with everything that it has started.
struct ProcessTree: ~Copyable {
    /// How often a changing tree is read before it is accepted as it is; `AppLife` asks again.
    private static let patience = 16

    private let root: Int32
    private let rootDescriptor: Int32
    private let session: Int32
    /// The descendants, parents before their children.
    private var descendants: [(number: Int32, descriptor: Int32)] = []

    /// - Parameters:
    ///   - root: the number of its process.
    ///   - descriptor: its pidfd, which the caller keeps.
    init(root: Int32, descriptor: Int32) {
        self.root = root
        rootDescriptor = descriptor
        session = ProcessStatus.read(root)?.session ?? -1
    }

    deinit {
        for entry in descendants { close(entry.descriptor) }
    }

    /// Stops the root first, then its children, until no new ones are found.
    mutating func stop() {
        guard offstage_pidfd_signal(rootDescriptor, SIGSTOP) == 0 else { return }
        for _ in 0..<Self.patience {
            // A process that has not stopped yet may be creating a child.
            let wasStopped = isStopped
            if !find(signal: SIGSTOP), wasStopped { return }
            sched_yield()
        }
    }

    /// Continues the tree, children first, so that a parent finds them running.
    mutating func resume() {
        _ = find(signal: 0)
        signalAll(SIGCONT)
    }

    /// Kills all processes. They were stopped before, so none can create another in the meantime.
    mutating func kill() {
        stop()
        signalAll(SIGKILL)
    }

    /// Whether the root and every descendant are stopped.
    mutating func isWhollyStopped() -> Bool {
        while find(signal: 0) {}
        return isStopped
    }

    private func signalAll(_ signal: Int32) {
        for entry in descendants.reversed() { _ = offstage_pidfd_signal(entry.descriptor, signal) }
        _ = offstage_pidfd_signal(rootDescriptor, signal)
    }

    /// Whether all processes found so far are stopped or have ended.
    private var isStopped: Bool {
        ([root] + descendants.map(\.number)).allSatisfy { number in
            ProcessStatus.read(number).map { $0.isHalted() || $0.hasEnded } ?? true
        }
    }

    /// Adds new descendants, and sends the signal to each.
    private mutating func find(signal: Int32) -> Bool {
        let before = descendants.count
        var known = Set(descendants.map(\.number))
        known.insert(root)
        known.insert(getpid())
        var parents = [root] + descendants.map(\.number)
        while let parent = parents.popLast() {
            for child in Self.children(of: parent) where known.insert(child).inserted {
                let descriptor = offstage_pidfd_open(child)
                guard descriptor >= 0 else { continue }
                // Its number may have been reused by another process before the pidfd was opened.
                guard let status = ProcessStatus.read(child), status.parent == parent, status.session == session else {
                    close(descriptor)
                    continue
                }
                if signal != 0 { _ = offstage_pidfd_signal(descriptor, signal) }
                descendants.append((child, descriptor))
                parents.append(child)
            }
        }
        return descendants.count > before
    }

    /// The children of all threads of a process.
    private static func children(of process: Int32) -> [Int32] {
        SmallFile.numbers(in: "/proc/\(process)/task").flatMap { thread in
            (SmallFile.words("/proc/\(process)/task/\(thread)/children") ?? []).compactMap { Int32($0) }
        }
    }
}
