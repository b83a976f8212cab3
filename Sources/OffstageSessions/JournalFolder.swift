// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageProtocol
import OffstageRuntime

/// The folder of hand-over journals, and the paths that they may contain. Everything that blocks is done by workers.
struct JournalFolder: Sendable {
    /// A new journal, with its client's descriptor.
    struct Made: Sendable {
        var name: String
        var file: JournalFile
        var client: Int32
    }

    private let paths: OffstagePaths
    private let workers: WorkerPool
    private static let suffix = ".journal"
    /// How long a journal that was set aside is kept, in seconds.
    private static let keptAside = 7 * 86_400

    init(paths: OffstagePaths, workers: WorkerPool) {
        (self.paths, self.workers) = (paths, workers)
    }

    func path(of name: String) -> String { paths.journals + "/" + name }

    /// The paths that an app's journal may contain.
    func admission(of app: String) -> SessionTaskAdmission {
        SessionTaskAdmission(
            app: app,
            downloads: paths.downloads + "/" + AppIdentity.folderName(for: app),
            spool: paths.snapshots
        )
    }

    /// Deletes unneeded journals, and those set aside long ago.
    ///
    /// - Parameter known: the names of the journals with entries in the store.
    /// - Returns: the paths of other journals that may hold data that is not in the store. They have been set aside.
    func sweep(known: Set<String>) async -> [String] {
        let folder = paths.journals
        return await workers.run {
            // A journal that was set aside has been kept long enough.
            let aside = Set(FolderNames.all(in: folder, suffix: JournalFile.asideSuffix))
            for name in OldFiles.names(in: folder, olderThan: Self.keptAside) where aside.contains(name) {
                unlink(folder + "/" + name)
            }
            return FolderNames.all(in: folder, suffix: Self.suffix).sorted()
                .filter { !known.contains($0) }
                .map { folder + "/" + $0 }
                .filter { JournalFile.settle(withoutEntry: $0) }
                .map { $0 + JournalFile.asideSuffix }
        }
    }

    /// Whether a journal has been set aside for a person to inspect. Blocks.
    static func holdsAside(_ folder: String) -> Bool {
        let old = Set(OldFiles.names(in: folder, olderThan: keptAside))
        return FolderNames.all(in: folder, suffix: JournalFile.asideSuffix).contains { name in
            var status = stat()
            // Another kind of file in place of a journal names no task.
            return !old.contains(name) && lstat(folder + "/" + name, &status) == 0
                && status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// Opens a journal that an earlier daemon made.
    func open(_ name: String) async -> JournalFile.Existing {
        let path = path(of: name)
        return await workers.run { JournalFile.existing(path) }
    }

    func setAside(_ name: String) async {
        let path = path(of: name)
        await workers.run { JournalFile.setAside(path) }
    }

    /// Makes a journal for a connection, and the app's folder for downloads.
    ///
    /// - Throws: `WireFailure` if the kernel refuses either.
    func make(_ admission: SessionTaskAdmission) async throws -> Made {
        let name = Self.randomName()
        let path = path(of: name)
        let made = await workers.run { () -> Result<(file: JournalFile, client: Int32), PrivateFolder.Failure> in
            do throws(PrivateFolder.Failure) {
                try PrivateFolder.make(admission.downloads)
            } catch {
                return .failure(error)
            }
            guard let made = Lack.waitedOut({ JournalFile.make(path) }) else {
                return .failure(.init(path: path, detail: String(cString: strerror(errno))))
            }
            return .success(made)
        }
        let (file, client) = try made.mapError { WireFailure(.internalError, $0.sentence) }.get()
        return Made(name: name, file: file, client: client)
    }

    private static func randomName() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + suffix
    }
}
