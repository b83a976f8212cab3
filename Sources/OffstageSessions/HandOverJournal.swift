// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One hand-over journal that the daemon has open. Belongs to the session center; every use is on the loop.
final class HandOverJournal {
    /// The file's name in `OffstagePaths.journals`.
    let name: String
    let admission: TaskAdmission
    let file: JournalFile
    /// Whom to tell what was committed; nobody is there for one that was left.
    let connection: UInt64?
    /// Who writes it; not known of one that a daemon before left.
    let process: ProcessIdentity?
    /// The sessions that its connection has, or has had.
    var sessions: Set<String> = []
    var life: JournalLife
    /// Whether the tasks that are still in it are cancelled as they are taken in: the person quit whoever wrote it.
    var isCancelled = false
    /// Bytes that were no record.
    var damaged: Int64 = 0
    /// Whether it is read no further: there is more in it that is no record than is searched for one.
    var isGivenUp = false
    /// The next records, read while those before are made durable: from which byte on, and what comes of it.
    var ahead: (offset: Int64, chunk: Task<JournalChunk, Never>)?

    init(
        name: String,
        admission: TaskAdmission,
        file: JournalFile,
        connection: UInt64?,
        process: ProcessIdentity?,
        life: JournalLife
    ) {
        self.name = name
        self.admission = admission
        self.file = file
        self.connection = connection
        self.process = process
        self.life = life
    }

    var app: String { admission.app }
}
