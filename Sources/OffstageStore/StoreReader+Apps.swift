// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

extension StoreReader {
    /// Reads the apps, skipping invalid rows. Equal environments share their storage: most of a person's apps are
    /// started from the same one, and there may be ten thousand.
    func apps() throws(SQLiteError) -> [AppRegistration] {
        var environments: Set<[String: String]> = []
        var texts: Set<String> = []
        let rows = try connection.statement("SELECT registration, id FROM apps ORDER BY id")
        defer { rows.reset() }
        var apps: [AppRegistration] = []
        while try rows.step() {
            guard var app = coder.app(rows.text(1), registration: rows.data(0)) else { continue }
            app.launch.environment = environments.insert(app.launch.environment).memberAfterInsert
            app.launch.workingDirectory = texts.insert(app.launch.workingDirectory).memberAfterInsert
            if let bootID = app.process?.bootID { app.process?.bootID = texts.insert(bootID).memberAfterInsert }
            apps.append(app)
        }
        return apps
    }

    /// A page of a story ends after the entry that reaches this length, so it fits a frame however long its entries
    /// are.
    private static let pageBytes = 1 << 20

    func appEntries(of app: String, after entry: Int64?, limit: Int) throws(SQLiteError) -> [StoredAppEntry] {
        let decoder = ForeignJSON.storeDecoder()
        let rows = try connection.statement(
            entry == nil
                ? "SELECT number, entry FROM app_entries WHERE app = ?1 AND number > ?2 ORDER BY number DESC LIMIT ?3"
                : "SELECT number, entry FROM app_entries WHERE app = ?1 AND number > ?2 ORDER BY number LIMIT ?3"
        )
        rows.bind(1, app)
        rows.bind(2, entry ?? 0)
        rows.bind(3, Int64(min(max(0, limit), 10_000)))
        defer { rows.reset() }
        var entries: [StoredAppEntry] = []
        var bytes = 0
        while bytes < Self.pageBytes, try rows.step() {
            let data = rows.data(1)
            bytes += data.count
            guard let value = try? decoder.decode(AppEntry.self, from: data) else { continue }
            entries.append(StoredAppEntry(number: rows.integer(0), entry: value))
        }
        return entry == nil ? entries.reversed() : entries
    }

    func sessionsThatNeedTheirApp() throws(SQLiteError) -> [SessionName] {
        // Few specifications are read: usually the first end found is one that calls the app.
        let rows = try connection.statement(
            """
            SELECT owner, identifier FROM sessions WHERE announced = 0
                AND EXISTS (SELECT 1 FROM transfers JOIN records USING (id)
                    WHERE session = sessions.id AND event_pending = 1
                    AND CASE WHEN json_valid(CAST(spec AS TEXT))
                        THEN json_extract(CAST(spec AS TEXT), '$.sendsLaunchEvents') IS NOT 0 ELSE 1 END)
                AND NOT EXISTS (SELECT 1 FROM transfers WHERE session = sessions.id AND kind <> 'finished')
            ORDER BY owner, identifier
            """
        )
        defer { rows.reset() }
        var sessions: [SessionName] = []
        while try rows.step() { sessions.append(SessionName(app: rows.text(0), identifier: rows.text(1))) }
        return sessions
    }
}
