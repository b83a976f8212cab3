// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

extension Route {
    /// The requests about notifications: first those from apps, then those from people and from a desktop.
    static let ofNotifications = [
        Route(AuthorizeNotifications.self, "asks whether an app may notify", rows: { _ in .max }) {
            server,
            request,
            connection in
            try await server.notifications.authorize(request, of: server.client(connection))
        },
        Route(AddNotification.self, "adds an app's notification", rows: { _ in .max }) { server, request, connection in
            try await server.notifications.add(request, of: server.client(connection))
        },
        Route(
            RemoveNotifications.self,
            "removes an app's notifications, pending or delivered",
            doing: { server, request, connection in
                try await server.notifications.remove(request, of: server.client(connection))
            }
        ),
        Route(GetNotifications.self, "an app's notifications, categories and settings", rows: { _ in .max }) {
            server,
            _,
            connection in
            await server.notifications.get(of: try await server.client(connection))
        },
        Route(
            SetNotificationCategories.self,
            "sets an app's categories with their actions",
            doing: { server, request, connection in
                try await server.notifications.setCategories(request, of: server.client(connection))
            }
        ),
        Route(TakeNotificationErrand.self, "fetches the answer that an app was launched for", rows: { _ in .max }) {
            server,
            request,
            connection in
            try await server.notifications.take(request, of: server.client(connection))
        },
        Route(
            PresentNotification.self,
            "shows a notification although its app is in front",
            doing: { server, request, connection in
                try await server.notifications.present(request, of: server.client(connection))
            }
        ),
        Route(ListNotifications.self, "all notifications, as people see them", rows: { _ in .max }) {
            server,
            request,
            _ in
            await server.notifications.list(request)
        },
        Route(
            AnswerNotification.self,
            "clicks a notification, or dismisses it",
            doing: { server, request, _ in
                try await server.notifications.answer(request)
            }
        ),
        Route(
            AttachDesktop.self,
            "makes the connection the link to the program that shows notifications",
            doing: { server, _, connection in await server.notifications.desktop.attach(connection) }
        ),
        Route(
            ReportDesktop.self,
            "reports what happened to a notification on the desktop",
            doing: { server, request, connection in
                await server.notifications.desktop.report(request, from: connection)
            }
        ),
    ]
}
