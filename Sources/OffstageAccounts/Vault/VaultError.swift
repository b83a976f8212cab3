// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// Why accounts' tokens cannot be encrypted or decrypted.
package enum VaultError: Error, Sendable, Hashable {
    /// There is no key file.
    case keyMissing(path: String)
    /// The file does not have the length of a key.
    case keyDamaged(path: String)
    /// Other users could have read or placed it.
    case keyExposed(path: String, detail: String)
    /// The system refuses the file.
    case keyUnusable(path: String, code: Int32)
    /// The key is not the one used for encryption, or the bytes were changed or belong to another account.
    case notOpened
    case libraryFailed
    /// The system allows no thread that could wait for the key file.
    case noThread

    /// The consequence for an account with encrypted tokens; nil if they may be decrypted again once a person has
    /// repaired the file.
    package var signInReason: SignInReason? {
        switch self {
        case .keyMissing: .keyMissing
        case .keyDamaged: .keyDamaged
        case .notOpened: .unreadable
        case .keyExposed, .keyUnusable, .libraryFailed, .noThread: nil
        }
    }

    /// Whether the error may pass without intervention.
    private var isPassing: Bool {
        switch self {
        case .noThread: true
        case .keyUnusable(_, let code): [EMFILE, ENFILE, ENOMEM, EIO, EINTR, EAGAIN].contains(code)
        case .keyMissing, .keyDamaged, .keyExposed, .notOpened, .libraryFailed: false
        }
    }

    /// The consequence for a transfer that needs a token of an account.
    package func failure(of account: String) -> TransferFailure {
        if let reason = signInReason { return .signInNeeded(account, reason) }
        let detail = "the account '\(account)' cannot be used: \(sentence.dropLast())"
        return .init(isPassing ? .daemonInterrupted : .accountUnusable, detail)
    }

    /// One sentence that states the failure, the affected file, and the remedy.
    package var sentence: String {
        switch self {
        case .keyMissing(let path):
            "The key file \(path) is gone: put it back from a backup, or sign in again."
        case .keyDamaged(let path):
            "The key file \(path) does not hold a key of 32 bytes: put it back from a backup, or move it away and sign in again."
        case .keyExposed(let path, let detail):
            "The key file \(path) is refused (\(detail)): make it this user's own with mode 0600; if somebody may have read it, remove the accounts, move the file away, and sign in again."
        case .keyUnusable(let path, let code):
            "The key file \(path) cannot be used (\(String(cString: strerror(code)))): check its folder's permissions and the free space."
        case .notOpened: "The tokens of the account cannot be decrypted with the current key file: sign in again."
        case .noThread:
            "The key file cannot be read, since the system allows no more threads: close some programs."
        case .libraryFailed: "Tokens cannot be encrypted, since libcrypto failed: see 'offstage doctor'."
        }
    }
}
