// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Accepts requests for notifications, which the daemon delivers whether or not the app is running. From any thread.
///
/// No call waits for the daemon: requests are sent to it in order, and completion handlers are called on one of the
/// library's queues.
///
/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenter>
///
/// Unchecked: its mutable state is guarded.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let currentCenter = UNUserNotificationCenter(.shared)

    /// The app's notification center.
    open class func current() -> UNUserNotificationCenter { currentCenter }

    private let client = NotificationClient()
    private let errands: NotificationErrands
    private let lock = NSLock()
    private weak var heldDelegate: (any UNUserNotificationCenterDelegate)?

    private init(_ port: DeferredWorkPort) {
        errands = NotificationErrands(port, client)
        super.init()
        errands.delegate = { [weak self] in self.flatMap { center in center.delegate.map { (center, $0) } } }
        port.addHandler(errands)
    }

    /// Receives notifications that arrive in the foreground, and responses. Not retained. Set it before the app has
    /// finished launching.
    open weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { lock.withLock { heldDelegate } }
        set { lock.withLock { heldDelegate = newValue } }
    }

    /// Whether content extensions are supported: always false.
    open var supportsContentExtensions: Bool { false }

    // MARK: - Authorization

    /// Requests authorization. The person is not asked: the daemon's `notifications` setting grants or denies it.
    open func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        client.ask(AuthorizeNotifications(options: options.rawValue)) { result in
            switch result {
            case .success(let reply): completionHandler(reply.isGranted, nil)
            case .failure(let error): completionHandler(false, error)
            }
        }
    }

    /// Requests authorization. The person is not asked: the daemon's `notifications` setting grants or denies it.
    ///
    /// - Throws: `UNError` if there is no daemon to ask.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            requestAuthorization(options: options) { isGranted, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: isGranted) }
            }
        }
    }

    /// Passes the app's notification settings to a completion handler.
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        client.ask(GetNotifications()) { result in
            guard let reply = try? result.get(), let options = reply.standing.options else {
                return completionHandler(UNNotificationSettings(.notDetermined, []))
            }
            let status: UNAuthorizationStatus = reply.isAllowed ? .authorized : .denied
            completionHandler(UNNotificationSettings(status, UNAuthorizationOptions(rawValue: options)))
        }
    }

    /// Returns the app's notification settings.
    open func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: - Categories

    /// Registers the app's notification categories, replacing all previous ones; the daemon stores them.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        let values = categories.map(\.value).sorted { $0.identifier < $1.identifier }
        client.post(SetNotificationCategories(categories: values), "The categories of notifications were not kept")
    }

    /// Passes the most recently registered categories to a completion handler.
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        client.ask(GetNotifications()) { result in
            let categories = (try? result.get())?.standing.categories ?? []
            completionHandler(Set(categories.map(UNNotificationCategory.make)))
        }
    }

    /// Returns the most recently registered categories.
    open func notificationCategories() async -> Set<UNNotificationCategory> {
        await withCheckedContinuation { continuation in
            getNotificationCategories { continuation.resume(returning: $0) }
        }
    }

    // MARK: - Requests

    /// Adds a request, which replaces a pending one with the same identifier.
    ///
    /// - Parameters:
    ///   - request: the content and the time.
    ///   - completionHandler: called with nil once the request is on disk, or with a `UNError`.
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let identifier = request.identifier
        let notification: LocalNotification
        do throws(UNError) {
            notification = try Conversion.request(request)
        } catch {
            return client.fail(error, completionHandler)
        }
        if let problem = notification.problem {
            return client.fail(UNError(.notificationInvalidNoDate, problem), completionHandler)
        }
        client.ask(AddNotification(request: notification)) { [client] result in
            switch result {
            case .success(let reply):
                guard let refusal = reply.refusal else {
                    completionHandler?(nil)
                    return
                }
                let sentence = "The notification '\(identifier)' was not accepted: \(refusal)."
                client.complain(sentence)
                completionHandler?(UNError(.notificationsNotAllowed, sentence))
            case .failure(let error): completionHandler?(error)
            }
        }
    }

    /// Adds a request, which replaces a pending one with the same identifier; returns once it is on disk.
    ///
    /// - Throws: `UNError`.
    open func add(_ request: UNNotificationRequest) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            add(request) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Passes the pending requests to a completion handler, earliest first.
    open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        client.ask(GetNotifications()) { completionHandler(((try? $0.get())?.pending ?? []).map(Conversion.request)) }
    }

    /// Returns the pending requests, earliest first.
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await withCheckedContinuation { continuation in
            getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
    }

    /// Removes pending requests.
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        remove(isDelivered: false, identifiers)
    }

    /// Removes all pending requests.
    open func removeAllPendingNotificationRequests() { remove(isDelivered: false, nil) }

    // MARK: - Delivered notifications

    /// Passes the delivered notifications that were neither answered nor removed to a completion handler, newest first.
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        client.ask(GetNotifications()) {
            completionHandler(((try? $0.get())?.delivered ?? []).map(Conversion.notification))
        }
    }

    /// Returns the delivered notifications that were neither answered nor removed, newest first.
    open func deliveredNotifications() async -> [UNNotification] {
        await withCheckedContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Removes delivered notifications, from the desktop as well.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        remove(isDelivered: true, identifiers)
    }

    /// Removes all delivered notifications, from the desktop as well.
    open func removeAllDeliveredNotifications() { remove(isDelivered: true, nil) }

    private func remove(isDelivered: Bool, _ identifiers: [String]?) {
        client.post(
            RemoveNotifications(isDelivered: isDelivered, identifiers: identifiers),
            "Notifications were not removed"
        )
    }

    // MARK: - The icon

    /// Does nothing: there is no icon with a badge here.
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) { client.succeed(completionHandler) }

    /// Does nothing: there is no icon with a badge here.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {}
}
