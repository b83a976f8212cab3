// SPDX-License-Identifier: Apache-2.0
public import Dispatch
public import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Takes requests for work that the app does later, and has the app launched, or woken, for it. From any thread.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler>
///
/// Unchecked: nothing of it changes but what guards itself.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    private static let sharedScheduler = BGTaskScheduler(.shared)

    /// The one scheduler of the app.
    open class var shared: BGTaskScheduler { sharedScheduler }

    /// What continued processing may require: nothing here.
    open class var supportedResources: BGContinuedProcessingTaskRequest.Resources { [] }

    let port: DeferredWorkPort
    let handlers: LaunchHandlers
    let desk = TaskDesk()
    let complaints = Complaints()
    /// For what asks the daemon and must not block its caller.
    let queue = DispatchQueue(label: "offstage.task-scheduler")

    private init(_ port: DeferredWorkPort) {
        self.port = port
        handlers = LaunchHandlers(port)
        super.init()
        port.addHandler(handlers)
    }

    /// Registers the handler of a task, before the app has finished launching; of continued processing that an entry
    /// with `.*` permits, at any time before it is submitted.
    ///
    /// Registering an identifier twice, or too late, stops the program.
    ///
    /// - Parameters:
    ///   - identifier: one of `BGTaskSchedulerPermittedIdentifiers` in the app's `Info.plist`.
    ///   - queue: where the handler is called; nil for a serial background queue.
    ///   - launchHandler: called with a task of the kind that was requested, such as `BGAppRefreshTask`.
    /// - Returns: false when the identifier is not permitted, which standard error says, too.
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        // Without a daemon nobody knows, and nothing is submitted either: the handler is kept for when there is one.
        if let rules = desk.permissions() {
            guard TaskPermission.isRegistrable(identifier, permitted: rules.permittedIdentifiers) else {
                complaints.make(about: "register \(identifier)", Self.notPermitted(identifier, rules))
                return false
            }
            // One that only a pattern permits is continued processing's, whose time is any.
            let isByPattern = identifier.hasSuffix(".*") || !rules.permittedIdentifiers.contains(identifier)
            if port.standing == .launched, !isByPattern {
                Misuse.stop(
                    "BGTaskScheduler.register(forTaskWithIdentifier:using:launchHandler:)",
                    "All launch handlers must be registered before application finishes launching. The one for '\(identifier)' came later: register it in application(_:didFinishLaunchingWithOptions:)"
                )
            }
        }
        guard handlers.add(identifier, queue, launchHandler) else {
            Misuse.stop(
                "BGTaskScheduler.register(forTaskWithIdentifier:using:launchHandler:)",
                "Launch handler for task with identifier \(identifier) has already been registered. Register each identifier once in the life of the process"
            )
        }
        return true
    }

    /// Submits a request; one for the same identifier that is pending gives way. Waits for the daemon, about 10 s at most.
    ///
    /// A task without a registered handler stops the program, unless `Info.plist` does not permit it: that is an error.
    ///
    /// - Throws: `BGTaskScheduler.Error`, which standard error shows, too, once for each identifier and code.
    open func submit(_ taskRequest: BGTaskRequest) throws { try place(taskRequest.draft, "submit(_:)") }

    /// Submits a request, without waiting for the daemon.
    ///
    /// - Parameters:
    ///   - taskRequest: what is asked for.
    ///   - completionHandler: called on a queue of the library's, with nil or a `BGTaskScheduler.Error`.
    open func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let draft = taskRequest.draft
        queue.async {
            do throws(Error) {
                try self.place(draft, "submitTaskRequest(_:completionHandler:)")
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// Submits a request, without blocking a thread of the caller's.
    ///
    /// - Throws: `BGTaskScheduler.Error`.
    open func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        let draft = taskRequest.draft
        let error = await onQueue { scheduler -> Error? in
            do throws(Error) {
                try scheduler.place(draft, "submitTaskRequest(_:)")
                return nil
            } catch {
                return error
            }
        }
        if let error { throw error }
    }

    /// Drops the pending request for a task. A task that runs goes on.
    open func cancel(taskRequestWithIdentifier identifier: String) { cancel(identifier) }

    /// Drops all pending requests of the app.
    open func cancelAllTaskRequests() { cancel(nil) }

    /// Hands over copies of the app's pending requests: changing them changes nothing.
    ///
    /// - Parameter completionHandler: called on a queue of the library's.
    open func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void) {
        let completion = Completion(call: completionHandler)
        queue.async { completion.call(self.pendingDrafts().map(BGTaskRequest.make)) }
    }

    /// Copies of the app's pending requests: changing them changes nothing.
    open func pendingTaskRequests() async -> [BGTaskRequest] {
        await onQueue { $0.pendingDrafts() }.map(BGTaskRequest.make)
    }

    /// The app's closure. Unchecked: called once, on a queue of the library's, as its documentation says.
    private struct Completion: @unchecked Sendable {
        var call: ([BGTaskRequest]) -> Void
    }

    private static func notPermitted(_ identifier: String, _ rules: TaskRules.Reply) -> String {
        let places = rules.candidates.isEmpty ? "" : " (\(rules.candidates.joined(separator: " or ")))"
        return
            "No handler was registered for '\(identifier)', which the app's Info.plist does not permit: add it there to BGTaskSchedulerPermittedIdentifiers\(places)."
    }
}
