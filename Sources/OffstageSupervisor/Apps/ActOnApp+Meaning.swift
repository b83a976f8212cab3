// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The meaning of a person's verb for an app, and the condition for its completion.
extension ActOnApp.Verb {
    /// Seconds after which a command is answered regardless of its app's state. Otherwise a program that never
    /// connects, or a process that not even the kernel can end, would be waited for indefinitely.
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
    ///   - app: the app, with its current state.
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

    /// Whether an app has reached the requested state, or has ended.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - endings: how many of its processes had ended at the time of the request; a later call for a session is
    ///     unrelated.
    /// - Returns: whether the verb has been carried out.
    func isDone(by app: SupervisedApp, endings: Int) -> Bool {
        let state = app.life.state
        if state == .terminated { return true }
        return switch self {
        case .launch(false), .foreground: state == .active
        case .launch(true), .background:
            // Without a hold, the app is about to be suspended.
            state == .suspended
                || (state == .background && app.reported == .background && !app.life.isAboutToBeSuspended)
        case .quit, .terminate: app.endings > endings
        case .remove, .memoryWarning: true
        }
    }

    /// The failure for an app that has not ended in time; nil for other verbs, which the app's state answers.
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
