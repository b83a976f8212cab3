// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageFiles
package import OffstageRuntime
import Synchronization

/// The threads that open, hash, sync, rename and delete the files of transfers: some for the daemon's own file system,
/// and some for each other one, since a call to an unresponsive file system never returns.
///
/// May be used from any thread.
package final class FileLanes: Sendable {
    /// The threads for one file system, and the saver of downloads there.
    package struct Lane: Sendable {
        package let workers: WorkerPool
        package let saver: FileSaver
        /// Whether it is the daemon's own file system, without which nothing works anyway.
        package let isHome: Bool
    }

    /// The daemon's own file system, and any that the kernel does not distinguish.
    package let home: Lane
    private let mounts: MountTable
    private let homePath: String
    private let sync: FileSync
    private let others = Mutex<[MountList.Device: Lane]>([:])

    /// How many other file systems have their own threads. Further ones share the threads of one.
    private static let most = 64
    /// The number of threads of another file system. They end after a while without work.
    private static let threads = 2
    /// Seconds that the work on other file systems has to end when the daemon stops.
    private static let patience = 2.0

    /// - Parameters:
    ///   - workers: the threads for the daemon's own file system.
    ///   - homePath: a path on it.
    ///   - sync: how to get data onto the disk.
    ///   - mounts: finds the file system that a path leads to.
    package init(workers: WorkerPool, homePath: String, sync: FileSync, mounts: MountTable = MountTable()) {
        self.homePath = homePath
        self.sync = sync
        self.mounts = mounts
        home = Lane(workers: workers, saver: FileSaver(workers: workers, sync: sync), isHome: true)
    }

    /// The threads for a file.
    ///
    /// - Parameter path: absolute. Links in it are not followed: calls through a link to a dead file system, in a
    ///   folder of a responsive one, use the threads for that folder.
    /// - Returns: the threads.
    package func lane(for path: String) -> Lane {
        guard let device = mounts.device(of: path), device != mounts.device(of: homePath) else { return home }
        return others.withLock { others in
            if let found = others[device] { return found }
            if others.count >= Self.most, let shared = others.values.first { return shared }
            let workers = WorkerPool(threads: Self.threads, staying: 0, substitute: home.workers)
            let saver = FileSaver(workers: workers, sync: sync, mayStall: true)
            let lane = Lane(workers: workers, saver: saver, isHome: false)
            others[device] = lane
            return lane
        }
    }

    /// The threads that open the files of a transfer: the threads for its first file outside the daemon's own file
    /// system, if there is one.
    package func lane(for spec: TransferSpec) -> Lane {
        firstElsewhere(spec.paths).map { lane(for: $0) } ?? home
    }

    /// The first of some files that is not in the daemon's own file system, judged only by their paths.
    package func firstElsewhere(_ paths: [String]) -> String? {
        guard !paths.isEmpty, let own = mounts.device(of: homePath) else { return nil }
        return paths.first { path in mounts.device(of: path).map { $0 != own } ?? false }
    }

    /// The file systems of some files, except the daemon's own.
    ///
    /// - Parameter paths: absolute. Links in them are not followed.
    /// - Returns: device numbers.
    func otherFileSystems(of paths: [String]) -> [UInt64] {
        guard !paths.isEmpty, let own = mounts.device(of: homePath) else { return [] }
        let devices = Set(paths.compactMap { mounts.device(of: $0) }).subtracting([own])
        return devices.map(\.number)
    }

    /// Closes the file of an attempt. A network file system first writes its unwritten data, which may take long: the
    /// caller does not wait for any file system except the daemon's own.
    func close(_ file: AttemptFiles.Opened) {
        let lane = lane(for: file.path)
        guard !lane.isHome else { return file.close() }
        lane.workers.submit { file.close() }
    }

    /// Lets a stopped job close its descriptor of the same file, if it has not done so yet.
    func letGo(of job: any SourceHashing, beside file: AttemptFiles.Opened) {
        let lane = lane(for: file.path)
        if !lane.isHome { lane.workers.submit { withExtendedLifetime(job) {} } }
    }

    /// Finishes the submitted work, but does not wait long for file systems other than the daemon's.
    package func shutDown() {
        home.workers.shutDown(within: nil)
        home.saver.shutDown(within: nil)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(Self.patience)
        for lane in others.withLock({ Array($0.values) }) {
            for finish in [lane.workers.shutDown(within:), lane.saver.shutDown(within:)] {
                finish(max(0, clock.now.duration(to: end) / .seconds(1)))
            }
        }
    }
}
