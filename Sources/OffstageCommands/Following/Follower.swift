// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageClient
package import OffstageCore
import OffstageProtocol

/// Follows transfers until they have all ended, or the user detaches.
package final class Follower {
    package enum Style {
        /// Bars on a terminal, plain lines elsewhere.
        case lively
        /// Only failures.
        case quiet
    }

    /// Whether the first line lists what was handed over.
    package var greets = true
    private let context: CommandContext
    private let style: Style
    private var transfers: FollowedTransfers
    private var screen: LiveArea
    private var mustDraw = false
    /// Whether every transfer has been seen once.
    private var isWatching = false
    private var drawnAt = 0.0
    /// The last tenth that a plain line reported, for each transfer.
    private var toldTenths: [TransferID: Int] = [:]
    /// Whether the warning about an unreachable server was given. Once is enough for many transfers.
    private var hasWarned = false
    /// For many transfers only the ends are reported.
    private var tellsAll: Bool { transfers.ids.count <= 20 }

    package init(_ ids: [TransferID], _ context: CommandContext, style: Style) {
        self.context = context
        self.style = style
        transfers = FollowedTransfers(ids)
        screen = LiveArea(context.output)
    }

    /// Follows the transfers on a connection, which is replaced if it breaks.
    ///
    /// - Returns: the exit status; `.detached` after Ctrl-C.
    package func run(_ connection: inout DaemonConnection) throws -> ExitStatus {
        let signals = context.catchSignals()
        defer { if signals >= 0 { close(signals) } }
        do {
            return try follow(&connection, signals)
        } catch let error as OffstageError where error.code == .interrupted {
            return detach(.detached(bySignalOf: signals))
        }
    }

    private func follow(_ connection: inout DaemonConnection, _ signals: Int32) throws -> ExitStatus {
        let interruption = Interruption(descriptor: signals)
        connection.interruption = interruption
        if greets, style == .lively {
            context.output.print("Handed over as \(Submission.spans(transfers.ids)); Ctrl-C only detaches.")
        }
        var mustWatch = true
        while true {
            do throws(OffstageError) {
                if mustWatch { try watch(connection) }
                mustWatch = false
                // Checked before the wait, as an event may have arrived together with the answer to the watch.
                while let event = connection.takeEvent() {
                    for change in transfers.apply(event) { report(change, connection) }
                }
                guard !transfers.unfinished.isEmpty else { break }
                draw()
                switch wait(connection.fileDescriptor, signals) {
                case .signal: return detach(.detached(bySignalOf: signals))
                case .readerGone: return .readerGone
                case .time: continue
                case .connection: try connection.receive()
                }
            } catch {
                guard error.code == .connectionLost || error.code == .shuttingDown else { throw error }
                connection = try reconnect(after: error, interruption)
                mustWatch = true
            }
        }
        screen.clear()
        if style == .lively, !tellsAll { context.output.print(transfers.summary) }
        if context.printsJSON { try printDocument() }
        return transfers.exitStatus
    }

    private func watch(_ connection: DaemonConnection) throws(OffstageError) {
        let ids = transfers.ids.filter { transfers.unfinished.contains($0) }
        let onlyOutcomes = style == .quiet || (!screen.isLive && !tellsAll)
        let rows = try connection.watch(ids, onlyOutcomes: onlyOutcomes)
        for row in rows { if let change = transfers.apply(row) { report(change, connection) } }
        if rows.count < ids.count {
            let found = Set(rows.map(\.id))
            let missing = ids.filter { !found.contains($0) }
            guard isWatching else { throw OffstageError(.transferNotFound, Refusals.absent(missing)) }
            for id in missing { for change in transfers.apply(.removed(id)) { report(change, connection) } }
        }
        isWatching = true
        mustDraw = true
    }

    /// Reconnects after the daemon was lost. The transfers are in its store, so another daemon continues them.
    private func reconnect(after error: OffstageError, _ signals: Interruption) throws -> DaemonConnection {
        screen.clear()
        let plan = context.startsDaemon ? "starting it again; nothing is lost" : "waiting for another"
        if style == .lively { context.output.print("The daemon went away; \(plan).") }
        return try Reconnection.connect(context, after: error, unless: signals)
    }

    private func detach(_ status: ExitStatus) -> ExitStatus {
        screen.clear()
        let ids = transfers.ids.filter { transfers.unfinished.contains($0) }
        let which = ids.count <= 5 ? ids.map(\.description).joined(separator: " ") : Submission.spans(ids)
        let verb = ids.count == 1 ? "continues" : "continue"
        context.output.complain(
            "Detached: \(which) \(verb) in the background; 'offstage wait \(ids.count <= 5 ? which : "ID…")' follows again."
        )
        return status
    }

    private enum Wakeup { case connection, signal, readerGone, time }

    /// Blocks until there is something to do. No timer runs unless lines on the screen are out of date.
    private func wait(_ connection: Int32, _ signals: Int32) -> Wakeup {
        var entries = [
            pollfd(fd: connection, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // No events are requested, as the system always reports a pipe without a reader. Only live output needs
            // one.
            pollfd(fd: style == .lively ? context.output.descriptor : -1, events: 0, revents: 0),
        ]
        let timeout: Int32 = mustDraw && screen.isLive ? Int32(LiveArea.shortestInterval * 1000) : -1
        let count = poll(&entries, 3, timeout)
        if count > 0, entries[2].revents & Int16(POLLERR) != 0 { return .readerGone }  // checked: three entries
        if count > 0, entries[1].revents != 0 { return .signal }
        return count > 0 && entries[0].revents != 0 ? .connection : .time
    }

    private func report(_ change: FollowedTransfers.Change, _ connection: DaemonConnection) {
        mustDraw = true
        switch change {
        case .changed(let row):
            if !hasWarned, let lines = FollowLines.unreached(row) {
                hasWarned = true
                screen.clear()
                for line in lines { context.output.complain(line) }
            }
            guard style == .lively, !screen.isLive, tellsAll, row.kind != .queued || row.attempts > 0 else { return }
            context.output.print(FollowLines.changed(row, now: context.now()))
        case .progressed(let row):
            guard style == .lively, !screen.isLive, tellsAll else { return }
            reportTenth(row)
        case .finished(let row):
            reportEnd(row, connection)
        case .removed(let id):
            screen.clear()
            context.output.complain("\(id): forgotten before it ended")
        }
    }

    private func reportTenth(_ row: TransferRow) {
        guard let percent = Format.percent(done: row.bytesDone, total: row.bytesTotal), row.kind == .running else {
            return
        }
        let tenth = percent / 10
        defer { toldTenths[row.id] = tenth }
        if tenth > toldTenths[row.id] ?? 0, tenth < 10 { context.output.print(FollowLines.progressed(row)) }
    }

    private func reportEnd(_ row: TransferRow, _ connection: DaemonConnection) {
        let isError = (row.status ?? 0) >= 400
        if row.result == .completed, !isError {
            if style == .lively {
                screen.clear()
                context.output.print(FollowLines.done(row))
            }
            return
        }
        screen.clear()
        let body = isError || row.result == .failed ? bodyStart(row.id, connection) : []
        for line in FollowLines.failed(row, bodyStart: body) { context.output.complain(line) }
    }

    private func bodyStart(_ id: TransferID, _ connection: DaemonConnection) -> [UInt8] {
        // Even without the body, the message tells what happened.
        (try? connection.details(of: [id]).first?.bodyStart.bytes) ?? []
    }

    private func draw() {
        guard mustDraw, screen.isLive, style == .lively else { return }
        let now = context.now().timeIntervalSinceReferenceDate
        guard abs(now - drawnAt) >= LiveArea.shortestInterval else { return }
        drawnAt = now
        mustDraw = false
        let view = ProgressView(
            columns: context.output.columns,
            usesColour: context.output.usesColour,
            usesBlocks: LiveArea.usesBlocks(context.environment)
        )
        screen.show(view.lines(transfers, now: context.now()))
    }

    private func printDocument() throws {
        let rows = transfers.ids.compactMap { transfers.rows[$0] }.map(TransferDocument.init)
        context.output.print(try JSONText.of(TransfersDocument(transfers: rows)))
    }

    struct TransfersDocument: Encodable {
        let transfers: [TransferDocument]
    }
}
