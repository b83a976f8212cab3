// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The requests about notifications: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about notifications.
    func notificationRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        func answer(_ reply: some Encodable & Sendable) async throws -> RouteAnswer {
            RouteAnswer(payload: try await encoded(reply))
        }
        switch frame.name {
        case AuthorizeNotifications.name:
            let request = try await decode(AuthorizeNotifications.self, frame)
            return try await answer(try await notifications.authorize(request, of: client(connection)))
        case AddNotification.name:
            let request = try await decode(AddNotification.self, frame)
            return try await answer(try await notifications.add(request, of: client(connection)))
        case RemoveNotifications.name:
            let request = try await decode(RemoveNotifications.self, frame)
            try await notifications.remove(request, of: client(connection))
            return try await answer(Empty())
        case GetNotifications.name: return try await answer(await notifications.get(of: try await client(connection)))
        case SetNotificationCategories.name:
            let request = try await decode(SetNotificationCategories.self, frame)
            try await notifications.setCategories(request, of: client(connection))
            return try await answer(Empty())
        case TakeNotificationErrand.name:
            let request = try await decode(TakeNotificationErrand.self, frame)
            return try await answer(try await notifications.take(request, of: client(connection)))
        case PresentNotification.name:
            let request = try await decode(PresentNotification.self, frame)
            try await notifications.present(request, of: client(connection))
            return try await answer(Empty())
        case ListNotifications.name:
            return try await answer(await notifications.list(try await decode(ListNotifications.self, frame)))
        case AnswerNotification.name:
            try await notifications.answer(decode(AnswerNotification.self, frame))
            return try await answer(Empty())
        case AttachDesktop.name:
            await notifications.desktop.attach(connection)
            return try await answer(Empty())
        case ReportDesktop.name:
            let request = try await decode(ReportDesktop.self, frame)
            await notifications.desktop.report(request, from: connection)
            return try await answer(Empty())
        default: return nil
        }
    }
}
