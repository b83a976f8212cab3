// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The dialects of uploads' attempts, and the findings of earlier attempts, kept for them in memory.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class AttemptDialects: @unchecked Sendable {
    private let registry: TransferRegistry
    /// Digests of uploaded files, kept between attempts.
    private var digestCache = DigestCache()
    /// How servers have reacted to the offer to resume uploads.
    private var resumptions = ResumptionBook()

    init(_ registry: TransferRegistry) { self.registry = registry }

    /// The dialect of an upload whose file is open: it knows the byte at which the attempt continues.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - file: its open file.
    /// - Returns: the dialect; nil for a download.
    /// - Throws: `RequestError` if the specification is not one that the dialect can carry out.
    func dialect(
        of id: TransferID,
        _ file: AttemptFiles.Opened
    ) throws(RequestError) -> (any UploadDialect)? {
        guard let transfer = registry[id]?.transfer, transfer.spec.isUpload else { return nil }
        let dialect = try Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: registry.now())
        if var offered = dialect as? OfferedUpload {
            offered.known = resumptions.finding(for: transfer.spec.url, now: registry.now())
            offered.isSuspected = offered.known == nil && transfer.past.suggestsAnotherWay
            return offered
        }
        return withDigests(withConnections(dialect, id), id, file)
    }

    /// Passes the number of free connections to a dialect that may use several.
    private func withConnections(_ dialect: any UploadDialect, _ id: TransferID) -> any UploadDialect {
        guard var sharing = dialect as? any SharingDialect else { return dialect }
        sharing.freeConnections = registry.schedule.freeConnections(for: id)
        return sharing
    }

    private func withDigests(
        _ dialect: any UploadDialect,
        _ id: TransferID,
        _ file: AttemptFiles.Opened
    ) -> any UploadDialect {
        guard var hashing = dialect as? any HashingDialect, let known = digestCache.remove(id, file: file.identity)
        else {
            return dialect
        }
        hashing.digests = known
        return hashing
    }

    // MARK: Leftovers of attempts

    /// Keeps the findings of the dialect of an ending attempt.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - file: the attempt's file, still open.
    func keepFindings(of id: TransferID, _ file: AttemptFiles.Opened) {
        guard let entry = registry[id], let dialect = entry.run?.attempt.dialect else { return }
        // The next attempt need not compute them again.
        if let hashing = dialect as? any HashingDialect, !entry.transfer.isFinished {
            digestCache.keep(hashing.digests, of: id, file: file.identity)
        }
        if let finding = (dialect as? OfferedUpload)?.finding {
            resumptions.record(finding, for: entry.transfer.spec.url, now: registry.now())
        }
    }

    /// Drops the digests of a transfer that has ended: no later attempt needs them.
    func forgetDigests(of id: TransferID) { digestCache.forget(id) }
}
