// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Workers read and decode records, and prepare the next ones while the present ones are made durable.
extension HandOverJournal {
    /// The next records from an offset.
    func chunk(from offset: Int64, _ workers: WorkerPool) async -> JournalChunk {
        if let ahead {
            self.ahead = nil
            if ahead.offset == offset { return await ahead.chunk.value }
        }
        let (file, name, admission, sequence) = (file, name, admission, life.sequence)
        return await workers.run { Self.read(file, name, from: offset, after: sequence, admission) }
    }

    /// Starts to decode the records after a chunk while the chunk is made durable.
    func readAhead(after chunk: JournalChunk, _ workers: WorkerPool, _ loop: EventLoop) {
        let (file, name, admission) = (file, name, admission)
        let (end, sequence) = (chunk.end, chunk.sequence)
        let read: @Sendable () async -> JournalChunk = {
            await workers.run { Self.read(file, name, from: end, after: sequence, admission) }
        }
        let task = Task(executorPreference: loop) { await read() }
        ahead = (end, task)
    }

    private static func read(
        _ file: JournalFile,
        _ name: String,
        from offset: Int64,
        after sequence: UInt64,
        _ admission: SessionTaskAdmission
    ) -> JournalChunk {
        Doing.named(.journal, .takingIn, name) {
            Doing.faultPoint("trap-in-journal", admission.app)
            return file.read(from: offset, after: sequence, admission)
        }
    }
}
