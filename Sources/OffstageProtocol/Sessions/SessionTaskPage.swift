// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A page of tasks as bytes: a session may have a hundred thousand, which would take seconds as JSON within JSON.
///
/// Layout, integers big-endian: whether there are more (1), the number of rows (4). Then for each row the transfer's id
/// (8), the task's number (8), the length of its state's name (1), the name, the length of the specification (4) and
/// the specification as JSON. Then the number of running rows (4), and for each the row (4), the bytes transferred (8)
/// and the total (8), with all bits set if unknown.
extension ListSessionTasks.Reply: BinaryPayload {
    init(_ bytes: [UInt8]) throws {
        var reader = ByteReader(bytes)
        hasMore = try reader.integer(1) != 0
        let count = try reader.integer(4)
        rows = []
        rows.reserveCapacity(Int(min(count, UInt64(ListSessionTasks.pageLimit))))
        for _ in 0..<count {
            let id = TransferID(rawValue: Int64(bitPattern: try reader.integer(8)))
            let task = Int(truncatingIfNeeded: try reader.integer(8))
            let name = try reader.text(Int(try reader.integer(1)))
            guard let kind = TransferState.Kind(rawValue: name) else { throw ByteReader.damaged }
            rows.append(.init(id: id, task: task, kind: kind, spec: try reader.text(Int(try reader.integer(4)))))
        }
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.integer(4)) {
            let (row, done, total) = (try reader.integer(4), try reader.integer(8), try reader.integer(8))
            guard let index = Int(exactly: row), rows.indices.contains(index) else { throw ByteReader.damaged }
            rows[index].done = Self.count(done) ?? 0  // checked: the line above
            rows[index].total = Self.count(total)  // checked: as above
        }
    }

    private static func count(_ value: UInt64) -> Int64? {
        Int64(exactly: value).flatMap { ByteCounts.range.contains($0) ? $0 : nil }
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.reduce(8) { $0 + $1.spec.utf8.count + 32 })
        bytes.append(hasMore ? 1 : 0)
        bytes.append(UInt64(rows.count), bytes: 4)
        for row in rows {
            bytes.append(UInt64(bitPattern: row.id.rawValue), bytes: 8)
            bytes.append(UInt64(truncatingIfNeeded: row.task), bytes: 8)
            let kind = row.kind.rawValue.utf8
            bytes.append(UInt8(kind.count))
            bytes += kind
            bytes.append(UInt64(row.spec.utf8.count), bytes: 4)
            bytes += row.spec.utf8
        }
        let underWay = rows.enumerated().filter { $0.element.done > 0 }
        bytes.append(UInt64(underWay.count), bytes: 4)
        for (number, row) in underWay {
            bytes.append(UInt64(clamping: number), bytes: 4)
            bytes.append(UInt64(bitPattern: row.done), bytes: 8)
            bytes.append(UInt64(bitPattern: row.total ?? -1), bytes: 8)
        }
        return bytes
    }
}

/// Reads integers and texts from the beginning of bytes.
private struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    static var damaged: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "the page is damaged or of another version"))
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer(_ count: Int) throws -> UInt64 {
        guard bytes.count - position >= count else { throw Self.damaged }
        var value: UInt64 = 0
        for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
        position += count
        return value
    }

    mutating func text(_ count: Int) throws -> String {
        guard count <= bytes.count - position else { throw Self.damaged }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ value: UInt64, bytes count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}
