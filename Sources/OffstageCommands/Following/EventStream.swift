// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageClient
package import OffstageCore
package import OffstageProtocol

/// A stream of events until the user stops it. A broken connection is replaced.
package struct EventStream {
    /// An item of the stream.
    package enum Item {
        /// The current rows: at the beginning, and again after the daemon was replaced.
        case rows([TransferRow])
        /// Further rows, if more are wanted than fit into one answer, and whether they are the last.
        case moreRows([TransferRow], areAll: Bool)
        case event(TransferEvent)
        /// The current deferred tasks, if they are watched.
        case tasks([TaskRow])
        case task(TaskEvent)
        /// The bytes typed by the user, and the connection on which to act.
        case keys([UInt8], DaemonConnection)
        /// The terminal's size has changed.
        case resized
        /// All events received so far have been delivered; the connection may be used to ask for more.
        case pause(DaemonConnection)
        /// The daemon went away; the stream is reconnecting.
        case interrupted
    }

    private let ids: [TransferID]?
    private let mostRows: Int
    private let watchesTasks: Bool
    private let keyboard: Keyboard?
    private let followsSize: Bool
    private let context: CommandContext

    /// - Parameters:
    ///   - ids: the transfers whose events are wanted; nil for all.
    ///   - context: provides access to the daemon.
    ///   - mostRows: about how many rows are delivered at the beginning; at least the rows of one answer.
    ///   - watchesTasks: whether deferred tasks are delivered as well.
    ///   - keyboard: the user's keyboard.
    ///   - followsSize: whether changes of the terminal's size are delivered.
    package init(
        _ ids: [TransferID]?,
        _ context: CommandContext,
        mostRows: Int = WatchTransfers.rowLimit,
        watchesTasks: Bool = false,
        keyboard: Keyboard? = nil,
        followsSize: Bool = false
    ) {
        self.ids = ids
        self.mostRows = mostRows
        self.watchesTasks = watchesTasks
        self.keyboard = keyboard
        self.followsSize = followsSize
        self.context = context
    }

    /// Delivers everything until Ctrl-C.
    ///
    /// - Parameters:
    ///   - timeout: returns the milliseconds after which `.pause` is delivered although nothing arrived; -1 for no
    ///     limit. Called before each wait.
    ///   - take: receives each item; returns false to end the stream.
    /// - Returns: `.detached` after Ctrl-C or another signal, `.success` if `take` ended the stream.
    /// - Throws: `OffstageError`, and any error of `take`.
    package func run(timeout: () -> Int32 = { -1 }, _ take: (Item) throws -> Bool) throws -> ExitStatus {
        let signals = context.catchSignals()
        let sizes = followsSize ? context.catchSizes() : -1
        defer { for descriptor in [signals, sizes] where descriptor >= 0 { close(descriptor) } }
        do {
            return try deliver(signals, sizes, timeout, take)
        } catch let error as OffstageError where error.code == .interrupted {
            return .detached(bySignalOf: signals)
        }
    }

    private func deliver(
        _ signals: Int32,
        _ sizes: Int32,
        _ timeout: () -> Int32,
        _ take: (Item) throws -> Bool
    ) throws -> ExitStatus {
        let interruption = Interruption(descriptor: signals)
        var connection = try context.connect(unless: interruption)
        var isFirst = true
        while true {
            do {
                let reply =
                    try ids.map { WatchTransfers.Reply(rows: try connection.watch($0)) }
                    ?? connection.send(WatchTransfers(ids: nil))
                let rows = reply.rows
                let areAll = rows.count < WatchTransfers.rowLimit && reply.hasMore != true
                if isFirst, let ids { try Self.checkAllFound(ids, rows) }
                isFirst = false
                guard try take(.rows(rows)) else { return .success }
                if ids == nil, !areAll, mostRows > rows.count {
                    // These rows can be shown while the remaining ones arrive.
                    guard try take(.pause(connection)) else { return .success }
                    guard try handOnRest(besides: rows, connection, take) else { return .success }
                }
                if watchesTasks {
                    guard try take(.tasks(connection.send(WatchTasks()).rows)) else { return .success }
                }
                while true {
                    guard try handOn(connection, take) else { return .success }
                    var entries = [
                        pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0),
                        pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                        pollfd(fd: keyboard?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
                        pollfd(fd: sizes, events: Int16(POLLIN), revents: 0),
                        // No events are requested, as the system always reports a pipe without a reader.
                        pollfd(fd: context.output.descriptor, events: 0, revents: 0),
                    ]
                    guard poll(&entries, 5, timeout()) > 0 else { continue }
                    if entries[4].revents & Int16(POLLERR) != 0 { return .readerGone }  // checked: five entries
                    if entries[1].revents != 0 { return .detached(bySignalOf: signals) }  // checked: five entries
                    // checked: five entries
                    if entries[3].revents != 0, offstage_signalfd_read(sizes) > 0 {
                        guard try take(.resized) else { return .success }
                    }
                    if entries[2].revents != 0, let keyboard {
                        guard try take(.keys(keyboard.read(), connection)) else { return .success }
                    }
                    if entries[0].revents != 0 { try connection.receive() }
                }
            } catch let error as OffstageError where error.code == .connectionLost || error.code == .shuttingDown {
                guard try take(.interrupted) else { return .success }
                connection = try Reconnection.connect(context, after: error, unless: interruption)
            }
        }
    }

    /// Checks that all transfers exist, since a missing one would never produce an event.
    private static func checkAllFound(_ ids: [TransferID], _ rows: [TransferRow]) throws(OffstageError) {
        let found = Set(rows.map(\.id))
        let missing = ids.filter { !found.contains($0) }
        guard !missing.isEmpty else { return }
        throw OffstageError(.transferNotFound, Refusals.absent(missing))
    }

    /// Delivers the rows that did not fit into the first answer, page by page.
    private func handOnRest(
        besides rows: [TransferRow],
        _ connection: DaemonConnection,
        _ take: (Item) throws -> Bool
    ) throws -> Bool {
        let known = Set(rows.map(\.id))
        var query = TransferQuery(
            kinds: TransferState.Kind.allCases.filter { $0 != .finished },
            limit: WatchTransfers.rowLimit
        )
        var count = rows.count
        while true {
            let page = try connection.send(ListTransfers(query: query))
            let further = page.rows.filter { !known.contains($0.id) }
            guard try take(.moreRows(further, areAll: !page.hasMore)) else { return false }
            count += further.count  // checked: rows in memory
            guard page.hasMore, count < mostRows, let last = page.rows.last else { return true }
            query.before = last.id
        }
    }

    /// Delivers all received events.
    private func handOn(_ connection: DaemonConnection, _ take: (Item) throws -> Bool) throws -> Bool {
        while let event = connection.takeEvent() {
            guard try take(.event(event)) else { return false }
        }
        for frame in connection.takeFrames() where frame.name == TaskEvent.name {
            // Unknown events can be ignored.
            guard let event = try? WireCoding.decodeFromDaemon(TaskEvent.self, from: frame.payload) else { continue }
            guard try take(.task(event)) else { return false }
        }
        return try take(.pause(connection))
    }
}
