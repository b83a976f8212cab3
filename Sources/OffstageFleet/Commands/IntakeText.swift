// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Rows in the format of COPY for the table `intake`.
package struct IntakeText: Sendable {
    package private(set) var bytes: [UInt8] = []
    package private(set) var rows = 0
    private let batch: [UInt8]

    /// The statement, with columns in the order of the text.
    static let statement: StaticString = """
        COPY offstage.intake (batch, place, queue, host, requires, priority, label, path, destination, bytes, is_repeatable, \
        begins_at, key, spec, sealed) FROM STDIN
        """

    /// - Parameter batch: the id of the rows' batch, as text.
    package init(batch: String) { self.batch = Array(batch.utf8) }

    /// Adds a row.
    package mutating func add(_ row: SubmittedRow) {
        bytes.append(contentsOf: batch)
        add("\(rows)")
        add(row.queue)
        add(row.host)
        add(row.labels.array)
        add("\(row.priority)")
        add(row.label)
        add(row.path)
        add(row.destination)
        add("\(row.bytes)")
        add(row.isRepeatable ? "t" : "f")
        add(row.beginsAt)
        add(row.key)
        add(row.spec.open)
        add(row.sealed.map(FleetBytes.text))
        bytes.append(UInt8(ascii: "\n"))
        rows += 1  // checked: far fewer than fit
    }

    /// Adds a tab and a column.
    private mutating func add(_ text: String?) {
        bytes.append(UInt8(ascii: "\t"))
        guard var text else {
            bytes.append(contentsOf: "\\N".utf8)
            return
        }
        text.withUTF8 { column in
            guard column.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else {
                return bytes.append(contentsOf: column)
            }
            for byte in column {
                switch byte {
                case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
                case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
                case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
                case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
                default: bytes.append(byte)
                }
            }
        }
    }
}
