// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A hand-over journal that the daemon has open. Belongs to the session center; every use is on the loop.
final class HandOverJournal {
    /// The file's name in `OffstagePaths.journals`.
    let name: String
    let admission: SessionTaskAdmission
    let file: JournalFile
    /// The connection that is notified of commits; nil for a journal that was left.
    let connection: UInt64?
    /// The process that writes it; unknown for a journal that an earlier daemon left.
    let process: ProcessIdentity?
    /// The sessions that its connection holds or held.
    var sessions: Set<String> = []
    var life: JournalLife
    /// Whether the remaining tasks in it are cancelled when they are imported, because a person quit the process that
    /// wrote it.
    var isCancelled = false
    /// The number of bytes that are not part of a record.
    var damaged: Int64 = 0
    /// Whether reading was abandoned because it contains too many bytes that are not records.
    var isGivenUp = false
    /// The reading of the next records, which runs while the present ones are made durable: its offset and result.
    var ahead: (offset: Int64, chunk: Task<JournalChunk, Never>)?

    init(
        name: String,
        admission: SessionTaskAdmission,
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
