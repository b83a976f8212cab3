// SPDX-License-Identifier: Apache-2.0
import OffstageClient

/// Why a command stops: sentences for people, and the exit status.
package struct CommandFailure: Error, Equatable {
    package let sentences: [String]
    package let status: ExitStatus

    package init(_ sentence: String, _ status: ExitStatus = .failure) {
        sentences = [sentence]
        self.status = status
    }

    package init(_ sentences: [String], _ status: ExitStatus = .failure) {
        self.sentences = sentences
        self.status = status
    }
}

extension OffstageError {
    /// The exit status for the error.
    var exitStatus: ExitStatus {
        switch code {
        case .transferNotFound: .notFound
        case .notApplicable: .failure
        default: .daemonUnreachable
        }
    }
}
