// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

extension DaemonFixture {
    var socketPath: String { home + "/run/daemon.sock" }
    var storePath: String { home + "/store.sqlite" }

    /// Hands a transfer over and returns its number, the only output of `--detach`.
    func submit(_ arguments: String..., environment: [String: String] = [:]) throws -> Int {
        let result = try run(arguments + ["--detach"], environment: environment)
        guard result.isSuccess, let id = result.lines.last.flatMap({ Int($0) }) else {
            throw TestError("offstage \(arguments.joined(separator: " ")) --detach: \(result)")
        }
        return id
    }

    /// Waits for the end with `offstage wait`.
    @discardableResult
    func wait(_ ids: Int..., within seconds: Double = 60) throws -> CommandResult {
        try run(["wait"] + ids.map { String($0) }, within: seconds)
    }

    /// Waits until a transfer's row satisfies `condition`, according to the daemon's events.
    @discardableResult
    func watch(
        _ id: Int,
        for what: String,
        within seconds: Double = 20,
        until condition: (TransferRow) -> Bool
    ) throws -> TransferRow {
        let client = try WireClient.greeted(self)
        let limit = TimeLimit(seconds: seconds)
        let transfer = TransferID(rawValue: Int64(id))
        guard var row = try client.send(WatchTransfers(ids: [transfer])).rows.first else {
            throw TestError("There is no transfer \(id) to watch.")
        }
        while !condition(row) {
            guard let event = try client.nextEvent(limit) else {
                throw TestError(
                    "Waited \(seconds) s in vain for \(what); it is \(row.kind) with \(row.bytesDone) bytes, \(row.reason.summary)."
                )
            }
            switch event {
            case .changed(let changed), .finished(let changed):
                if changed.id == transfer { row = changed }
            case .progress(let all):
                for progress in all where progress.id == transfer {
                    row.bytesDone = progress.bytesDone
                    row.bytesTotal = progress.bytesTotal
                    row.rate = progress.rate
                }
            case .removed: break
            }
        }
        return row
    }

    /// Waits until so many bytes of a transfer are done.
    @discardableResult
    func watchBytes(_ id: Int, atLeast count: Int64, within seconds: Double = 20) throws -> TransferRow {
        try watch(id, for: "\(count) bytes", within: seconds) { $0.bytesDone >= count }
    }

    /// All details of a transfer, as our own programs see them.
    func detail(_ id: Int) throws -> TransferDetail {
        let details = try WireClient.greeted(self).send(ShowTransfers(ids: [TransferID(rawValue: Int64(id))])).details
        guard let detail = details.first else { throw TestError("There is no transfer \(id).") }
        return detail
    }

    /// Makes sure that a daemon is running.
    func startOnDemand() throws {
        let result = try run("list")
        guard result.isSuccess else { throw TestError("The daemon does not start: \(result)") }
    }
}
