// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is kept and where it goes: what the environment of the process says (docs/logging.md).
package struct LogSettings: Sendable, Equatable {
    /// Where entries go.
    package enum Destination: Sendable, Equatable {
        /// To the journal; where that is not there or does not take one, to standard error.
        case journal
        case standardError
        case both
    }

    /// The lowest level that is kept; nil keeps nothing.
    package var threshold: LogLevel?
    package var destination = Destination.journal
    package var keepsSignposts = false
    /// The words of `OFFSTAGE_OS_LOG` that mean nothing, as they may be shown.
    package var unknownWords: [String] = []

    /// As Apple has it without a profile, debug and info are not kept.
    package init(threshold: LogLevel? = .notice, destination: Destination = .journal, keepsSignposts: Bool = false) {
        self.threshold = threshold
        self.destination = destination
        self.keepsSignposts = keepsSignposts
    }

    /// - Parameter environment: the value of a variable.
    package init(environment: (String) -> String?) {
        self.init()
        let words = (environment("OFFSTAGE_OS_LOG") ?? "").split { $0 == "," || $0 == " " }
        for word in words where !take(word.lowercased()) {
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

    private mutating func take(_ word: String) -> Bool {
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
