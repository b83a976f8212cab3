// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// Imports a journal's records, in order. Records that need only a commit share one, and so do commands.
extension JournalIntake {
    /// Imports a chunk. Returns once everything is durable; false if the daemon stops first.
    func accept(_ chunk: JournalChunk, of journal: HandOverJournal) async -> Bool {
        if chunk.items.isEmpty { return true }
        var batch = HandOverBatch(app: journal.app, journal: journal.name, sequence: chunk.sequence)
        var commands: [(task: SessionTaskKey, command: SessionTaskCommand)] = []
        for (sequence, item) in chunk.items {
            if !commands.isEmpty, !item.isCommand {
                guard await queue.carryOut(commands, for: journal.app) else { return false }
                commands = []
            }
            if !batch.isEmpty, !item.isCommitted {
                batch.sequence = sequence - 1
                guard await accept(batch, of: journal) else { return false }
                batch = HandOverBatch(app: journal.app, journal: journal.name, sequence: chunk.sequence)
            }
            switch item {
            case .task(let task):
                guard let admitted = await admitted(task, of: journal) else { return false }
                if case .success(let task) = admitted { batch.tasks.append(task) }
            case .refused(let key, let failure): refuse(key, failure, journal)
            case .entry(let entry):
                switch entry {
                case .fileTaken(let id): batch.filesTaken.append(id)
                case .acknowledge(let id): batch.acknowledged.append(id)
                case .cancelAll(let session):
                    let name = SessionName(app: journal.app, identifier: session)
                    let hadIt = journal.sessions.contains(session)
                    guard mayCancelAll(name, process: journal.process, hadIt: hadIt) else { break }
                    guard await queue.cancelAll(session, of: journal.app) else { return false }
                case .answer(let id, let answer):
                    guard await sessions?.decided(id, answer, app: journal.app) == true else { return false }
                case .act, .setPriority, .setDescription, .submit:
                    if let command = entry.command { commands.append(command) }
                }
            }
        }
        if !commands.isEmpty {
            guard await queue.carryOut(commands, for: journal.app) else { return false }
        }
        return await accept(batch, of: journal)
    }

    private func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool {
        sessions?.assumeIsolated { $0.mayCancelAll(session, process: process, hadIt: hadIt) } ?? false
    }

    /// An upload to an account, completed by the account. It is also imported without the account: its failure is then
    /// an end, which the app receives whenever it runs.
    ///
    /// - Returns: nil if the daemon stops first.
    private func admitted(
        _ task: HandOverBatch.Task,
        of journal: HandOverJournal
    ) async -> Result<HandOverBatch.Task, RequestError>? {
        guard task.spec.dialect != nil else { return .success(task) }
        let admitted = await trouble.waitOut(.reading, unless: { readiness.isStopping }) {
            () throws(StoreError) -> Result<HandOverBatch.Task, RequestError> in
            do {
                let spec = try await accounts.admitted(task.spec, requiresAccount: false)
                return .success(spec == task.spec ? task : .init(spec: spec, json: try WireCoding.encode(spec)))
            } catch let error as StoreError {
                throw error
            } catch {
                return .failure(error as? RequestError ?? .invalidValue("The upload cannot be written down"))
            }
        }
        if case .failure(let error)? = admitted {
            let failure = TransferFailure(.internalError, String(error.sentence.dropLast()))
            refuse(task.spec.sessionTask, failure, journal)
        }
        return admitted
    }

    /// Accepts a batch. Tasks of a process that the person quit are cancelled before anything else is done for them.
    private func accept(_ batch: HandOverBatch, of journal: HandOverJournal) async -> Bool {
        guard let refused = await queue.accept(batch) else { return false }
        for task in refused { refuse(task.key, task.failure, journal) }
        // Before its process is notified: otherwise its app might be called for ends that it has received.
        await sessions?.lookUpAcknowledged()
        guard journal.isCancelled else { return true }
        let keys = batch.tasks.compactMap(\.spec.sessionTask)
        return await queue.carryOut(keys.map { (task: $0, command: .cancelForQuit) }, for: journal.app)
    }

    private func refuse(_ key: SessionTaskKey?, _ failure: TransferFailure, _ journal: HandOverJournal) {
        if let key {
            log.error(
                "a task that was handed over cannot be accepted",
                ["app": journal.app, "session": key.session, "task": key.task, "reason": failure]
            )
        } else {
            log.error("a record that was handed over cannot be accepted", ["app": journal.app, "reason": failure])
        }
        if key == nil { report(failure.detail, of: journal.app) }
        if let key, let connection = journal.connection { links.send(.refused(key, failure), to: connection) }
    }
}

extension HandOverBatch {
    fileprivate var isEmpty: Bool { tasks.isEmpty && filesTaken.isEmpty && acknowledged.isEmpty }
}

extension JournalChunk.Item {
    /// Whether the entry is part of a batch.
    fileprivate var isCommitted: Bool {
        switch self {
        case .task, .refused, .entry(.fileTaken), .entry(.acknowledge): true
        case .entry: false
        }
    }

    /// Whether the entry is a command for one task.
    fileprivate var isCommand: Bool {
        if case .entry(let entry) = self { entry.command != nil } else { false }
    }
}

extension JournalEntry {
    /// The command for one task.
    fileprivate var command: (task: SessionTaskKey, command: SessionTaskCommand)? {
        switch self {
        case .act(let key, .suspend): (key, .suspend)
        case .act(let key, .resume): (key, .resume)
        case .act(let key, .cancel): (key, .cancel)
        case .act(let key, .cancelProducingResumeData): (key, .cancelProducingResumeData)
        case .setPriority(let key, let priority): (key, .setPriority(priority))
        case .setDescription(let key, let text): (key, .setDescription(text))
        case .submit, .cancelAll, .answer, .fileTaken, .acknowledge: nil
        }
    }
}
