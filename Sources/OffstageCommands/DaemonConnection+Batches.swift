// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore
package import OffstageProtocol

extension DaemonConnection {
    /// Details of any number of transfers, requested in batches small enough for each answer to fit into a frame.
    package func details(of ids: [TransferID], reveals: Bool = false) throws(OffstageError) -> [TransferDetail] {
        var details: [TransferDetail] = []
        for batch in ids.batches(of: 20) { details += try send(ShowTransfers(ids: batch, reveals: reveals)).details }
        return details
    }

    /// Details of the transfers that exist, and the numbers of those that do not.
    package func detailsAsFarAsThere(
        of ids: [TransferID],
        reveals: Bool = false
    ) throws(OffstageError) -> (details: [TransferDetail], missing: [TransferID]) {
        do throws(OffstageError) {
            return (try details(of: ids, reveals: reveals), [])
        } catch {
            guard error.code == .transferNotFound, ids.count > 1 else { throw error }
            let there = try existing(ids)
            let found = ids.filter(there.contains)
            guard found.count < ids.count else { throw error }
            return (try details(of: found, reveals: reveals), ids.filter { !there.contains($0) })
        }
    }

    /// The numbers of existing transfers. The cost grows with the number of transfers, not of requested numbers.
    private func existing(_ ids: [TransferID]) throws(OffstageError) -> Set<TransferID> {
        var left = ids.sorted()
        var found: Set<TransferID> = []
        while let greatest = left.last {
            // checked: the greatest number that a store assigns is 2^53 - 1
            let before = TransferID(rawValue: min(greatest.rawValue, TransferID.greatest) + 1)
            let page = try send(ListTransfers(query: TransferQuery(before: before, limit: min(500, left.count))))
            guard let last = page.rows.last, last.id <= greatest else { break }
            let there = Set(page.rows.map(\.id))
            while let id = left.last, id >= last.id {
                if there.contains(id) { found.insert(id) }
                left.removeLast()
            }
            if !page.hasMore { break }
        }
        return found
    }

    /// Watches any number of transfers, and returns their current rows, without those that do not exist.
    package func watch(_ ids: [TransferID], onlyOutcomes: Bool = false) throws(OffstageError) -> [TransferRow] {
        var rows: [TransferRow] = []
        for batch in ids.batches(of: 200) {
            rows += try send(WatchTransfers(ids: batch, onlyOutcomes: onlyOutcomes)).rows
        }
        return rows
    }

    /// Performs one action on any number of transfers, in batches, so each answer fits into a frame.
    package func act(
        _ verb: ActOnTransfers.Verb,
        on selection: ActOnTransfers.Selection
    ) throws(OffstageError) -> ActOnTransfers.Reply {
        var all = ActOnTransfers.Reply(done: [], refused: [])
        switch selection {
        case .ids(let ids):
            for batch in ids.batches(of: WatchTransfers.idLimit) {
                let reply = try send(ActOnTransfers(verb: verb, selection: .ids(batch)))
                all.done += reply.done
                all.refused += reply.refused
            }
        case .all:
            repeat {
                let reply = try send(ActOnTransfers(verb: verb, selection: .all, before: all.next, isInParts: true))
                all.done += reply.done
                all.refused += reply.refused
                all.next = reply.next
            } while all.next != nil
        }
        return all
    }
}

extension Array {
    fileprivate func batches(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
