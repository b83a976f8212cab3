// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Work before the commit of an end: the received data of downloads is kept, so that other tasks can resume them.
extension AttemptRunner {
    /// Returns once no request of a transfer that ends is under way.
    func awaitRequests(of id: TransferID) async {
        while registry[id]?.run?.file != nil {
            await fileWaiters.wait(for: id) { registry[id]?.run?.file != nil }
        }
    }

    /// Gives the partial file of an ended download its second name, once no attempt writes to it any more.
    ///
    /// Runs before the commit of the end, which contains that name.
    func keepPartialFile(of id: TransferID) async {
        await awaitRequests(of: id)
        // A sync of the data to keep may fail.
        let checkpoint = registry[id]?.checkpoint
        _ = await checkpoint?.value
        guard let transfer = registry[id]?.transfer else { return }
        let path = places.partialPath(of: transfer)
        let folder = places.resumable
        let token = Self.randomToken()
        let bytes = await lanes.lane(for: path).workers.run {
            // Cancelled before its first attempt, it has not taken the partial file that it should have resumed.
            var known = transfer.partialFile
            if let earlier = transfer.spec.resumesFrom, ResumeData.isToken(earlier) {
                known = ResumableFiles.claim(earlier, from: folder, as: path) ?? known
            }
            return ResumableFiles.keep(path, known: known, in: folder, as: token)
        }
        registry[id]?.keepsPartialFile = false
        if let bytes { registry[id]?.transfer.keptForResuming(as: token, bytes: bytes) }
    }

    private static func randomToken() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: (0..<32).map { _ in digits[Int.random(in: 0..<16)] }, as: UTF8.self)
    }
}
