// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Notifications that apps have asked for.
    static let notifications = Migration(
        version: 6,
        sql: """
            CREATE TABLE notifications (
                app TEXT NOT NULL,
                -- `NotificationRecord.Place`
                place INTEGER NOT NULL,
                identifier TEXT NOT NULL,
                -- `NotificationRecord` as JSON.
                record BLOB NOT NULL,
                PRIMARY KEY (app, place, identifier)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE notification_standings (
                app TEXT PRIMARY KEY NOT NULL,
                -- `NotificationStanding` as JSON.
                standing BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            """
    )
}
