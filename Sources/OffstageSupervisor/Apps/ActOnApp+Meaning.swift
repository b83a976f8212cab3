// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What a verb of a person means for an app, and when it has been done.
extension ActOnApp.Verb {
    /// Seconds after which a command is answered wherever its app is: a program that never connects, or a process that
    /// not even the kernel can end, would be waited for without end.
    static let answerTime = BackgroundTimeProfile.launchTime

    /// Whether an app that the daemon has crashed over too often is to be tried once more.
    var triesOnceMore: Bool {
        switch self {
        case .launch, .foreground: true
        case .background, .quit, .terminate, .memoryWarning, .remove: false
        }
    }

    /// What is told to the app's rule.
    ///
    /// - Parameters:
    ///   - app: as it is now.
    ///   - keepsTransfers: what the settings say of an app that is quit.
    /// - Returns: the event.
    /// - Throws: `WireFailure` when the verb means nothing for the app as it is.
    func event(for app: SupervisedApp, keepsTransfers: Bool) throws(WireFailure) -> AppEvent {
        switch self {
        case .launch(let inBackground): return .launch(inBackground ? .personInBackground : .person)
        case .foreground: return .foreground
        case .quit(let keeps): return .quit(keepsTransfers: keeps ?? keepsTransfers)
        case .background, .terminate, .memoryWarning:
            guard app.life.state != .terminated else {
                throw WireFailure(.notApplicable, "The app \(app.id) does not run: launch it first.")
            }
            if self == .memoryWarning, app.life.state == .suspended {
                throw WireFailure(.notApplicable, "The app \(app.id) is suspended and cannot be warned: terminate it.")
            }
            return self == .background ? .background : self == .terminate ? .terminate : .memoryWarning
        case .remove: throw WireFailure(.internalError, "An app is removed by another request.")
        }
    }

    /// Whether an app has come where it was sent, or has ended.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - endings: how many of its processes had ended when it was asked for; what a session has called for since has
    ///     nothing to do with it.
    /// - Returns: whether it has.
    func isDone(by app: SupervisedApp, endings: Int) -> Bool {
        let state = app.life.state
        if state == .terminated { return true }
        return switch self {
        case .launch(false), .foreground: state == .active
        case .launch(true), .background:
            // One that nothing holds is on its way to its stop.
            state == .suspended
                || (state == .background && app.reported == .background && !app.life.isAboutToBeSuspended)
        case .quit, .terminate: app.endings > endings
        case .remove, .memoryWarning: true
        }
    }

    /// What is said of an app that has not ended in time; nil for what else it was to do: where it is, is an answer.
    func failure(of app: SupervisedApp) -> WireFailure? {
        switch self {
        case .quit, .terminate:
            WireFailure(
                .notApplicable,
                "The app \(app.id.redactedControls) has not ended yet: check what its process \(app.processNumber ?? 0) waits for."
            )
        case .launch, .foreground, .background, .remove, .memoryWarning: nil
        }
    }
}
