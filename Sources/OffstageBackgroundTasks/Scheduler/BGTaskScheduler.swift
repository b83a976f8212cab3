// SPDX-License-Identifier: Apache-2.0
public import Dispatch
public import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Accepts requests for work that the app does later, and has the app launched or woken for it. From any thread.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler>
///
/// Unchecked: nothing in it changes except parts that have their own synchronization.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    private static let sharedScheduler = BGTaskScheduler(.shared)

    /// The one scheduler of the app.
    open class var shared: BGTaskScheduler { sharedScheduler }

    /// The resources that continued processing may require: none here.
    open class var supportedResources: BGContinuedProcessingTaskRequest.Resources { [] }

    let port: DeferredWorkPort
    let handlers: LaunchHandlers
    let client = SchedulerClient()
    let complaints = Complaints()
    /// For requests to the daemon that must not block their caller.
    let queue = DispatchQueue(label: "offstage.task-scheduler")

    private init(_ port: DeferredWorkPort) {
        self.port = port
        handlers = LaunchHandlers(port)
        super.init()
        port.addHandler(handlers)
    }

    /// Registers the handler of a task. Call it before the app has finished launching. A handler of continued
    /// processing that is permitted by an entry with `.*` may be registered at any time before its request is
    /// submitted.
    ///
    /// Registering an identifier twice, or too late, traps.
    ///
    /// - Parameters:
    ///   - identifier: one of `BGTaskSchedulerPermittedIdentifiers` in the app's `Info.plist`.
    ///   - queue: the queue on which the handler is called; nil for a serial background queue.
    ///   - launchHandler: called with a task of the requested kind, such as `BGAppRefreshTask`.
    /// - Returns: false if the identifier is not permitted, which is also reported on standard error.
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        // Without a daemon, the permissions are unknown and nothing is submitted: the handler is stored for a later
        // daemon.
        if let rules = client.permissions() {
            guard TaskPermission.isRegistrable(identifier, permitted: rules.permittedIdentifiers) else {
                complaints.make(about: "register \(identifier)", Self.notPermitted(identifier, rules))
                return false
            }
            // An identifier that only a pattern permits belongs to continued processing, whose handlers may be
            // registered at any time.
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

    /// Submits a request, which replaces a pending one for the same identifier. Waits for the daemon, for about 10 s at
    /// most.
    ///
    /// A task without a registered handler traps, unless `Info.plist` does not permit the task: then an error is
    /// thrown.
    ///
    /// - Throws: `BGTaskScheduler.Error`, which is also written to standard error, once for each identifier and code.
    open func submit(_ taskRequest: BGTaskRequest) throws { try place(taskRequest.draft, "submit(_:)") }

    /// Submits a request, without waiting for the daemon.
    ///
    /// - Parameters:
    ///   - taskRequest: the request.
    ///   - completionHandler: called on one of the library's queues, with nil or a `BGTaskScheduler.Error`.
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

    /// Submits a request, without blocking the caller's thread.
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

    /// Cancels the pending request for a task. A running task continues.
    open func cancel(taskRequestWithIdentifier identifier: String) { cancel(identifier) }

    /// Cancels all pending requests of the app.
    open func cancelAllTaskRequests() { cancel(nil) }

    /// Passes copies of the app's pending requests to a completion handler; changing the copies has no effect.
    ///
    /// - Parameter completionHandler: called on one of the library's queues.
    open func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void) {
        let completion = Completion(call: completionHandler)
        queue.async { completion.call(self.pendingDrafts().map(BGTaskRequest.make)) }
    }

    /// Returns copies of the app's pending requests; changing the copies has no effect.
    open func pendingTaskRequests() async -> [BGTaskRequest] {
        await onQueue { $0.pendingDrafts() }.map(BGTaskRequest.make)
    }

    /// The app's closure. Unchecked: called once, on one of the library's queues, as documented.
    private struct Completion: @unchecked Sendable {
        var call: ([BGTaskRequest]) -> Void
    }

    private static func notPermitted(_ identifier: String, _ rules: TaskRules.Reply) -> String {
        let places = rules.candidates.isEmpty ? "" : " (\(rules.candidates.joined(separator: " or ")))"
        return
            "No handler was registered for '\(identifier)', which the app's Info.plist does not permit: add it there to BGTaskSchedulerPermittedIdentifiers\(places)."
    }
}
