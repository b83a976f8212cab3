// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

/// Carries out the steps of a journal, one after the other, as decided by `JournalLife`.
extension JournalIntake {
    func proceed(_ action: JournalLife.Action?, _ journal: HandOverJournal) {
        guard let action else { return }
        let held = LoopOwned(journal, loop: loop)
        loop.startTask {
            var next: JournalLife.Action? = action
            while let action = next, !self.readiness.isStopping { next = await self.perform(action, held.value) }
            self.readiness.happened(.rested(journal: held.value.name))
        }
    }

    /// Performs one step and returns the next; nil at the end, and if the daemon stops.
    private func perform(_ action: JournalLife.Action, _ journal: HandOverJournal) async -> JournalLife.Action? {
        let file = journal.file
        switch action {
        case .read(let offset):
            guard !journal.isGivenUp else { return journal.life.foundNothing() }
            let chunk = await journal.chunk(from: offset, workers)
            if let trouble = chunk.trouble { return await meet(trouble, action, journal) }
            guard chunk.count > 0 else { return journal.life.foundNothing() }
            report(chunk, journal)
            if chunk.count == JournalFile.recordLimit { journal.readAhead(after: chunk, workers, loop) }
            guard await accept(chunk, of: journal) else { return nil }
            crashes.survived(.journal(journal.name), .takingIn)
            let next = journal.life.imported(through: chunk.sequence, endingAt: chunk.end)
            if let connection = journal.connection { links.send(.committed(sequence: chunk.sequence), to: connection) }
            return next
        case .empty(let size):
            return journal.life.emptied(await workers.run { file.empty(ifSize: size) })
        case .seal:
            // A process that was stopped while writing holds the lock until it continues or ends.
            var pause = 0.05
            while !(await workers.run { file.seal() }) {
                await loop.sleep(seconds: pause)
                if readiness.isStopping { return nil }
                pause = min(1, pause * 1.2)
            }
            return journal.life.sealed()
        case .delete:
            await delete(journal)
            return nil
        }
    }

    /// Handles a journal that cannot be read further, temporarily or permanently.
    private func meet(
        _ trouble: JournalChunk.Trouble,
        _ action: JournalLife.Action,
        _ journal: HandOverJournal
    ) async -> JournalLife.Action? {
        switch trouble {
        case .unreadable(let code):
            log.error(
                "a journal cannot be read, and is tried again",
                ["app": journal.app, "journal": journal.name, "reason": ErrorNumber(code)]
            )
            await loop.sleep(seconds: 1)
            return readiness.isStopping ? nil : action
        case .tooLong:
            giveUp(journal, "it holds more than \(JournalBudget().bytes >> 20) MiB")
            return journal.life.foundNothing()
        }
    }

    /// Reports bytes of a journal that are not part of a record.
    private func report(_ chunk: JournalChunk, _ journal: HandOverJournal) {
        guard chunk.damaged > 0 else { return }
        let what = "\(chunk.damaged) bytes that are not a complete record"
        log.error(
            "bytes in a journal are not a complete record: left out, and what follows is read",
            ["app": journal.app, "journal": journal.name, "bytes": chunk.damaged]
        )
        report(what, of: journal.app)
        journal.damaged += chunk.damaged
        if journal.damaged > JournalBudget().damagedBytes { giveUp(journal, "too much of it is damaged") }
    }

    private func giveUp(_ journal: HandOverJournal, _ why: String) {
        journal.isGivenUp = true
        log.error(
            "a journal is read no further, and the rest is kept",
            ["app": journal.app, "reason": why, "kept": journal.name + JournalFile.asideSuffix]
        )
        report("its journal is read no further, since \(why)", of: journal.app)
        // The app hands over everything that is not in the store again, through a new journal.
        if let connection = journal.connection { links.hangUp(connection) }
    }

    private func delete(_ journal: HandOverJournal) async {
        let file = journal.file
        let offset = journal.life.offset
        let isGivenUp = journal.isGivenUp
        let rest = await workers.run {
            // Before its entry is deleted: a daemon that ends in between leaves a file without an entry.
            if !isGivenUp { file.finish() }
            return file.length(after: offset)
        }
        if rest > 0, !isGivenUp {
            log.error(
                "the last bytes of a journal are not a complete record: left out",
                ["app": journal.app, "journal": journal.name, "bytes": rest]
            )
            report("the last \(rest) bytes are not a complete record", of: journal.app)
        }
        guard await forget(journal.name) else { return }
        crashes.forget(.journal(journal.name))
        journal.life.deleted()
        await workers.run { if isGivenUp { JournalFile.setAside(file.path) } else { file.delete() } }
        left.remove(journal)
        if let process = journal.process { leftovers.processEnded(process) }
        readiness.happened(.journalDeleted(app: journal.app))
        imported(one: journal.app)
    }
}
