// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Synchronization

/// Content of a file in a test of a dialect: which bytes of which version, and not the bytes themselves. So a server of
/// a terabyte fits into a value, and its contents can be distinguished exactly.
struct SymbolicContent: Equatable {
    /// Bytes of one version of a file, in order.
    struct Run: Hashable {
        var version: Int
        var offset: Int64
        var count: Int64
    }

    private(set) var runs: [Run] = []

    init() {}

    init(version: Int, _ range: Range<Int64>) {
        append(Run(version: version, offset: range.lowerBound, count: Int64(range.count)))
    }

    /// The source's bytes in a request, of the file's version while it is sent.
    init(_ body: RequestBody, version: Int) {
        for case .file(let range) in body.segments {
            append(Run(version: version, offset: range.offset, count: range.count))
        }
    }

    var count: Int64 { runs.reduce(0) { $0 + $1.count } }

    mutating func append(_ run: Run) {
        guard run.count > 0 else { return }
        if let last = runs.last, last.version == run.version, last.offset + last.count == run.offset {
            runs[runs.count - 1].count += run.count
        } else {
            runs.append(run)
        }
    }

    mutating func append(_ other: SymbolicContent) {
        for run in other.runs { append(run) }
    }

    func prefix(_ count: Int64) -> SymbolicContent {
        var rest = count
        var result = SymbolicContent()
        for var run in runs where rest > 0 {
            run.count = min(run.count, rest)
            rest -= run.count
            result.append(run)
        }
        return result
    }

    func dropping(_ count: Int64) -> SymbolicContent {
        var rest = count
        var result = SymbolicContent()
        for var run in runs {
            let dropped = min(rest, run.count)
            rest -= dropped
            run.offset += dropped
            run.count -= dropped
            result.append(run)
        }
        return result
    }

    /// Dropbox's hash of the content, computed from digests that represent its blocks.
    var contentHash: String {
        if let run = runs.first, runs.count == 1 {
            let digests = Self.digests(version: run.version, of: run.offset..<run.offset + run.count)
            return ContentHash.hash(ofDigests: digests) ?? ""
        }
        var digests: [UInt8] = []
        var rest = self
        while rest.count > 0 {
            let block = rest.prefix(ContentHash.blockSize)
            rest = rest.dropping(ContentHash.blockSize)
            digests += Self.digest(of: block.runs)
        }
        return ContentHash.hash(ofDigests: digests) ?? ""
    }

    /// The digests that a driver would compute for a range of a file: 32 bytes for each 4 MiB from its beginning.
    static func digests(version: Int, of range: Range<Int64>) -> [UInt8] {
        var digests: [UInt8] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(ContentHash.blockSize, range.upperBound - offset)
            digests += digest(of: [Run(version: version, offset: offset, count: count)])
            offset += count
        }
        return digests
    }

    /// The checksum of a file whose bytes are all the number of its version.
    var checksum: CRC32C {
        var checksum = CRC32C()
        for run in runs { checksum.append(Self.checksum(of: run), count: run.count) }
        return checksum
    }

    /// Cached checksums, for runs that begin at 0: the same files are sent thousands of times.
    private static let known = Mutex<[Run: CRC32C]>([:])

    private static func checksum(of run: Run) -> CRC32C {
        let run = Run(version: run.version, offset: 0, count: run.count)
        if let known = known.withLock({ $0[run] }) { return known }
        let checksum = computedChecksum(of: run)
        known.withLock { $0[run] = checksum }
        return checksum
    }

    private static func computedChecksum(of run: Run) -> CRC32C {
        var result = CRC32C()
        var power = CRC32C()
        withUnsafeBytes(of: UInt8(truncatingIfNeeded: run.version)) { power.update($0) }
        var (bit, count) = (Int64(1), run.count)
        while count > 0 {
            if count & 1 == 1 { result.append(power, count: bit) }
            power.append(power, count: bit)
            bit *= 2
            count /= 2
        }
        return result
    }

    /// The digest that a driver computes for a dialect from the first version of a file.
    static func digest(_ digest: SourceDigest) -> [UInt8] {
        let content = SymbolicContent(version: 1, digest.range)
        return digest.algorithm == .crc32c ? content.checksum.bytes : ModelTus.digest(content)
    }

    /// 32 bytes that differ where the content does.
    private static func digest(of runs: [Run]) -> [UInt8] {
        var word: UInt64 = 0
        for run in runs {
            for number in [UInt64(run.version), UInt64(run.offset), UInt64(run.count)] {
                word = (word ^ number) &* 0x9E37_79B9_7F4A_7C15
                word ^= word >> 29
            }
        }
        return [UInt8](repeating: 0, count: 24) + withUnsafeBytes(of: word) { Array($0) }
    }
}
