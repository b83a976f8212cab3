// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Which entries are kept and where they go, according to the environment of the process (docs/logging.md).
package struct LogSettings: Sendable, Equatable {
    /// Where entries go.
    package enum Destination: Sendable, Equatable {
        /// To the journal; to standard error if the journal is absent or does not accept the entry.
        case journal
        case standardError
        case both
    }

    /// The lowest level to keep; nil to keep nothing.
    package var threshold: LogLevel?
    package var destination = Destination.journal
    package var keepsSignposts = false
    /// The unknown words in `OFFSTAGE_OS_LOG`, in printable form.
    package var unknownWords: [String] = []

    /// Like Apple's default without a profile: debug and info are not kept.
    package init(threshold: LogLevel? = .notice, destination: Destination = .journal, keepsSignposts: Bool = false) {
        self.threshold = threshold
        self.destination = destination
        self.keepsSignposts = keepsSignposts
    }

    /// - Parameter environment: returns the value of a variable.
    package init(environment: (String) -> String?) {
        self.init()
        let words = (environment("OFFSTAGE_OS_LOG") ?? "").split { $0 == "," || $0 == " " }
        for word in words where !apply(word.lowercased()) {
            unknownWords.append(String(word.prefix(40)).redactedControls)
        }
        if environment("OS_ACTIVITY_MODE") == "disable" {
            threshold = nil
            keepsSignposts = false
        }
    }

    /// Whether an entry of this level is kept.
    package func keeps(_ level: LogLevel) -> Bool {
        guard let threshold else { return false }
        return level.kept.rawValue >= threshold.rawValue
    }

    private mutating func apply(_ word: String) -> Bool {
        switch word {
        case "debug", "trace": threshold = .debug
        case "info": threshold = .info
        case "notice", "default": threshold = .notice
        case "error", "warning": threshold = .error
        case "fault", "critical": threshold = .fault
        case "off": threshold = nil
        case "journal": destination = .journal
        case "stderr": destination = .standardError
        case "both": destination = .both
        case "signposts": keepsSignposts = true
        default: return false
        }
        return true
    }
}
