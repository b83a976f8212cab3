// SPDX-License-Identifier: Apache-2.0

/// A failure of the store.
package enum StoreError: Error, Sendable, Hashable {
    /// Written by a newer Offstage.
    case fromTheFuture(path: String, version: Int, known: Int)
    case locked(path: String)
    case readOnly(path: String)
    case full(path: String)
    case overQuota(path: String)
    case outOfMemory(path: String)
    /// The disk, real or virtual, has failed.
    case ioFailed(path: String, detail: String)
    /// The process or the system has reached its limit of open files.
    case tooManyFiles(path: String)
    case noThreads(path: String)
    /// It is not a file but a folder, a pipe or the like.
    case notAFile(path: String)
    case notOurs(path: String)
    case cannotOpen(path: String, detail: String)
    case failed(path: String, detail: String)
    /// A change contradicts the store's contents; the commit had no effect.
    case refused(path: String, detail: String)
    /// A task with that number has been handed over before; the commit had no effect.
    case duplicateTask(SessionTaskKey, owner: String)
    /// A transfer with that submission key is on record; the commit had no effect.
    case duplicateKey(String, owner: String)
    /// The transfer would be deleted although its app has not received its outcome.
    case endNotTold(TransferID, owner: String)

    /// Whether the change itself is at fault and would fail again.
    package var isOfRequest: Bool {
        switch self {
        case .refused, .duplicateTask, .duplicateKey, .endNotTold: true
        case .fromTheFuture, .locked, .readOnly, .full, .overQuota, .outOfMemory, .ioFailed, .tooManyFiles, .noThreads,
            .notAFile, .notOurs, .cannotOpen, .failed:
            false
        }
    }

    /// One sentence that says what happened, to what, and what to do about it.
    package var sentence: String {
        switch self {
        case .fromTheFuture(let path, let version, let known):
            "The store \(path) was written by a newer Offstage (schema \(version), this one knows \(known)): install that version or move the store away."
        case .locked(let path):
            "The store \(path) is locked by another program: close whatever has it open and try again."
        case .readOnly(let path):
            "The store \(path) cannot be written: make the file and its folder writable for this user."
        case .full(let path):
            "The disk that holds the store \(path) is full: free some space; nothing that was queued is lost."
        case .overQuota(let path):
            "This user's quota on the disk that holds the store \(path) is used up: free some space or have it raised; nothing that was queued is lost."
        case .outOfMemory(let path):
            "There is not enough memory to use the store \(path): end other programs; nothing that was queued is lost."
        case .ioFailed(let path, let detail):
            "The disk that holds the store \(path) failed (\(detail)): check the disk, and that it is mounted."
        case .tooManyFiles(let path):
            "The store \(path) cannot be opened, since too many files are open: raise the limit (ulimit -n) or close some."
        case .noThreads(let path):
            "The store \(path) cannot be used, since this user may start no more threads: raise the limit (ulimit -u) or end other programs."
        case .notAFile(let path):
            "\(path) is not a regular file, so it cannot be the store: move it away."
        case .notOurs(let path):
            "\(path) belongs to another user, so it cannot be the store: move it away or change its owner."
        case .cannotOpen(let path, let detail):
            "The store \(path) cannot be opened (\(detail)): check the folder's permissions."
        case .failed(let path, let detail):
            "The store \(path) failed (\(detail)): see 'offstage doctor'."
        case .refused(let path, let detail):
            "The store \(path) refused a change (\(detail)): see 'offstage doctor'."
        case .duplicateTask(let key, let owner):
            "Task \(key.task) of the session '\(key.session)' of \(owner) has been handed over before: every task of a session needs a number of its own."
        case .duplicateKey(let key, let owner):
            "A transfer of \(owner) with the submission key '\(key.redactedControls)' is on record: 'offstage list' shows it."
        case .endNotTold(let id, let owner):
            "The app \(owner) has not yet received the outcome of transfer \(id): start the app, then it can be forgotten."
        }
    }
}
