// SPDX-License-Identifier: Apache-2.0

extension TaskEnding {
    /// The outcome, as the end of a sentence whose subject is the task.
    package var summary: String {
        switch self {
        case .completed(success: true): "completed"
        case .completed(success: false): "completed without success"
        case .expired(let expiry, let success):
            "told to end since \(expiry.summary), and completed \(success ? "in time" : "without success")"
        case .killed(let expiry, let seconds):
            "killed after \(Int(nearest: seconds.rounded())) s: it was told to end since \(expiry.summary), and did not"
        case .appEnded(.exited(let status)): "cut short: its app ended with status \(status)"
        case .appEnded(.signalled(let signal)): "cut short: its app was ended by signal \(signal)"
        case .appEnded(.unknown): "cut short: its app ended"
        case .noHandler: "not run: its app has registered no handler for it"
        case .launchFailed(let detail): "not run: its app could not be launched: \(detail)"
        case .quit: "ended without a callback: a person quit its app"
        }
    }
}

extension TaskExpiry {
    /// As the end of "it was told to end since".
    package var summary: String {
        switch self {
        case .timeOver: "its time was over"
        case .machineBusy: "the machine was no longer idle"
        case .powerLost: "external power was gone"
        case .memoryPressure: "memory was low"
        case .cancelledByPerson: "a person cancelled it"
        case .simulated: "'offstage simulate expire' ended it"
        }
    }
}
