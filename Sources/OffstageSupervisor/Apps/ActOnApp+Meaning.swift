// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The meaning of a person's verb for an app, and when it has been carried out.
extension ActOnApp.Verb {
    /// Seconds after which a command is answered whatever its app's state. A program that never connects, or a process
    /// that not even the kernel can end, would otherwise be waited for without end.
    static let answerTime = BackgroundTimeProfile.launchTime

    /// Whether an app that was set aside is tried once more.
    var triesOnceMore: Bool {
        switch self {
        case .launch, .foreground: true
        case .background, .quit, .terminate, .memoryWarning, .remove: false
        }
    }

    /// The event for the app's rule.
    ///
    /// - Parameters:
    ///   - app: the app's present state.
    ///   - keepsTransfers: the setting for an app that a person quits.
    /// - Returns: the event.
    /// - Throws: `WireFailure` if the verb has no meaning in the app's state.
    func event(for app: SupervisedApp, keepsTransfers: Bool) throws(WireFailure) -> AppEvent {
        switch self {
        case .launch(let inBackground): return .launch(inBackground ? .personInBackground : .person)
        case .foreground: return .foreground
        case .quit(let keeps): return .quit(keepsTransfers: keeps ?? keepsTransfers)
        case .background, .terminate, .memoryWarning:
            guard app.life.state != .terminated else {
                throw WireFailure(.notApplicable, "The app \(app.id) is not running: launch it first.")
            }
            if self == .memoryWarning, app.life.state == .suspended {
                throw WireFailure(.notApplicable, "The app \(app.id) is suspended and cannot be warned: terminate it.")
            }
            return self == .background ? .background : self == .terminate ? .terminate : .memoryWarning
        case .remove: throw WireFailure(.internalError, "An app is removed by another request.")
        }
    }

    /// Whether an app has reached the state it was sent to, or has ended.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - endings: how many of its processes had ended at the time of the request; a later call for a session has
    ///     nothing to do with it.
    /// - Returns: whether it has.
    func isDone(by app: SupervisedApp, endings: Int) -> Bool {
        let state = app.life.state
        if state == .terminated { return true }
        return switch self {
        case .launch(false), .foreground: state == .active
        case .launch(true), .background:
            // Without a hold, it is about to be suspended.
            state == .suspended
                || (state == .background && app.reported == .background && !app.life.isAboutToBeSuspended)
        case .quit, .terminate: app.endings > endings
        case .remove, .memoryWarning: true
        }
    }

    /// The sentence about an app that has not ended in time; nil for other verbs, for which its state is an answer.
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
