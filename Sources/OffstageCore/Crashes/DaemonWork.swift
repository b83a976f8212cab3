// SPDX-License-Identifier: Apache-2.0

/// The work of a thread of the daemon, recorded before each step that handles foreign data.
package struct DaemonWork: Sendable, Hashable, Codable {
    /// The numbers are the same as in the mark of a crash.
    package enum Kind: Int32, Sendable, Hashable, Codable {
        case transfer = 1, app, journal, request
    }

    /// The numbers are also in the mark of a crash.
    package enum Step: Int32, Sendable, Hashable, Codable {
        case readingRecord = 1, openingFile, attempt, deciding, savingFile
        case launching, attaching, leadingOn, installing, takingIn, answering
    }

    package var kind: Kind
    package var step: Step
    /// A transfer's number, an app's identifier, a journal's file, a request's name.
    package var name: String

    package init(_ kind: Kind, _ step: Step, name: String) {
        self.kind = kind
        self.step = step
        self.name = name
    }

    /// Nil for work without a suspect, such as a request that a client repeats automatically.
    package var suspect: CrashSuspect? {
        switch kind {
        case .transfer: Int64(name).map { .transfer(TransferID(rawValue: $0)) }
        case .app: .app(name)
        case .journal: .journal(name)
        case .request: nil
        }
    }

    /// For a sentence: `carrying out an attempt of transfer 17`.
    package var summary: String {
        let what = suspect?.name ?? "a request (\(name.redactedControls))"
        return switch step {
        case .readingRecord: "reading the record of \(what)"
        case .openingFile: "opening the file of \(what)"
        case .attempt: "carrying out an attempt of \(what)"
        case .deciding: "deciding how \(what) continues"
        case .savingFile: "saving the file of \(what)"
        case .launching: "launching \(what)"
        case .attaching: "attaching \(what)"
        case .leadingOn: "leading on \(what)"
        case .installing: "installing \(what)"
        case .takingIn: "taking in \(what)"
        case .answering: "answering \(what)"
        }
    }
}
