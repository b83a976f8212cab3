// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Takes requests for notifications, which the daemon delivers whether the app runs or not. From any thread.
///
/// Nothing waits for the daemon: what is asked goes to it in order, and completion handlers are called on a queue of the
/// library's.
///
/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenter>
///
/// Unchecked: what changes of it is guarded.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let currentCenter = UNUserNotificationCenter(.shared)

    /// The one of the app.
    open class func current() -> UNUserNotificationCenter { currentCenter }

    private let desk = NotificationDesk()
    private let errands: NotificationErrands
    private let lock = NSLock()
    private weak var heldDelegate: (any UNUserNotificationCenterDelegate)?

    private init(_ port: DeferredWorkPort) {
        errands = NotificationErrands(port, desk)
        super.init()
        errands.delegate = { [weak self] in self.flatMap { center in center.delegate.map { (center, $0) } } }
        port.addHandler(errands)
    }

    /// Who hears of notifications in front, and of answers. Not kept alive; set it before the app has finished launching.
    open weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { lock.withLock { heldDelegate } }
        set { lock.withLock { heldDelegate = newValue } }
    }

    /// There are no extensions here.
    open var supportsContentExtensions: Bool { false }

    // MARK: - What may be shown

    /// Asks for what may be shown. No person is asked: the daemon's setting `notifications` says yes, or no.
    open func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        desk.ask(AuthorizeNotifications(options: options.rawValue)) { result in
            switch result {
            case .success(let reply): completionHandler(reply.isGranted, nil)
            case .failure(let error): completionHandler(false, error)
            }
        }
    }

    /// Asks for what may be shown.
    ///
    /// - Throws: `UNError` when no daemon can be asked.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            requestAuthorization(options: options) { isGranted, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: isGranted) }
            }
        }
    }

    /// What may be shown.
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        desk.ask(GetNotifications()) { result in
            guard let reply = try? result.get(), let options = reply.standing.options else {
                return completionHandler(UNNotificationSettings(.notDetermined, []))
            }
            let status: UNAuthorizationStatus = reply.isAllowed ? .authorized : .denied
            completionHandler(UNNotificationSettings(status, UNAuthorizationOptions(rawValue: options)))
        }
    }

    /// What may be shown.
    open func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: - Categories

    /// Names the kinds of notifications that the app has, in the place of those before; the daemon keeps them.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        let values = categories.map(\.value).sorted { $0.identifier < $1.identifier }
        desk.tell(SetNotificationCategories(categories: values), "The categories of notifications were not kept")
    }

    /// The kinds that were named last.
    open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        desk.ask(GetNotifications()) { result in
            let categories = (try? result.get())?.standing.categories ?? []
            completionHandler(Set(categories.map(UNNotificationCategory.make)))
        }
    }

    /// The kinds that were named last.
    open func notificationCategories() async -> Set<UNNotificationCategory> {
        await withCheckedContinuation { continuation in
            getNotificationCategories { continuation.resume(returning: $0) }
        }
    }

    // MARK: - Requests

    /// Adds a request, in the place of a pending one of the same identifier.
    ///
    /// - Parameters:
    ///   - request: what is shown, and when.
    ///   - completionHandler: called with nil when it is kept on disk, or with a `UNError`.
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let identifier = request.identifier
        let notification: LocalNotification
        do throws(UNError) {
            notification = try Conversion.request(request)
        } catch {
            return desk.fail(error, completionHandler)
        }
        if let problem = notification.problem {
            return desk.fail(UNError(.notificationInvalidNoDate, problem), completionHandler)
        }
        desk.ask(AddNotification(request: notification)) { [desk] result in
            switch result {
            case .success(let reply):
                guard let refusal = reply.refusal else {
                    completionHandler?(nil)
                    return
                }
                let sentence = "The notification '\(identifier)' was not accepted: \(refusal)."
                desk.complain(sentence)
                completionHandler?(UNError(.notificationsNotAllowed, sentence))
            case .failure(let error): completionHandler?(error)
            }
        }
    }

    /// Adds a request, in the place of a pending one of the same identifier; returns when it is kept on disk.
    ///
    /// - Throws: `UNError`.
    open func add(_ request: UNNotificationRequest) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            add(request) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// What is to come, earliest first.
    open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        desk.ask(GetNotifications()) { completionHandler(((try? $0.get())?.pending ?? []).map(Conversion.request)) }
    }

    /// What is to come, earliest first.
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await withCheckedContinuation { continuation in
            getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
    }

    /// Takes back what is to come.
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        remove(isDelivered: false, identifiers)
    }

    /// Takes back everything that is to come.
    open func removeAllPendingNotificationRequests() { remove(isDelivered: false, nil) }

    // MARK: - What was delivered

    /// What was delivered and neither answered nor removed, newest first.
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        desk.ask(GetNotifications()) {
            completionHandler(((try? $0.get())?.delivered ?? []).map(Conversion.notification))
        }
    }

    /// What was delivered and neither answered nor removed, newest first.
    open func deliveredNotifications() async -> [UNNotification] {
        await withCheckedContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Removes what was delivered, from the desktop as well.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        remove(isDelivered: true, identifiers)
    }

    /// Removes everything that was delivered, from the desktop as well.
    open func removeAllDeliveredNotifications() { remove(isDelivered: true, nil) }

    private func remove(isDelivered: Bool, _ identifiers: [String]?) {
        desk.tell(
            RemoveNotifications(isDelivered: isDelivered, identifiers: identifiers),
            "Notifications were not removed"
        )
    }

    // MARK: - The icon

    /// Does nothing: there is no icon with a number here.
    open func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) { desk.succeed(completionHandler) }

    /// Does nothing: there is no icon with a number here.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {}
}
