// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The meaning of a number, if the message specifies one: `%{errno}d` or `format: .byteCount`.
package enum ValueMeaning: Sendable, Equatable {
    case seconds, errorNumber, mode, signal, truth, answer, address
    case bits, binaryBits, bytes, binaryBytes

    /// - Parameter annotation: the text between the braces of a placeholder.
    package init?(annotation: String) {
        switch annotation {
        case "time_t": self = .seconds
        case "errno", "darwin.errno": self = .errorNumber
        case "mode", "darwin.mode": self = .mode
        case "signal", "darwin.signal": self = .signal
        case "bool": self = .truth
        case "BOOL": self = .answer
        case "in_addr", "network:in_addr": self = .address
        case "bitrate": self = .bits
        case "iec-bitrate": self = .binaryBits
        case "bytes": self = .bytes
        case "iec-bytes": self = .binaryBytes
        default: return nil
        }
    }

    package func text(of number: LoggedInteger) -> String {
        let nearest = Int32(clamping: number.nearest)
        switch self {
        case .seconds: return UTCTime(seconds: number.nearest).text
        case .errorNumber: return "[\(number.nearest): \(Self.name(strerror(nearest)))]"
        case .signal: return "[\(number.nearest): \(Self.name(strsignal(nearest)))]"
        case .mode: return Self.mode(number.bits)
        case .truth: return number.magnitude == 0 ? "false" : "true"
        case .answer: return number.magnitude == 0 ? "NO" : "YES"
        case .address:
            // The bytes as stored in memory, in network byte order.
            let address = UInt32(truncatingIfNeeded: number.bits)
            return withUnsafeBytes(of: address) { $0.map { String($0) }.joined(separator: ".") }
        case .bits: return Self.scaled(number, 1000, ["", "k", "M", "G", "T", "P", "E"], "bps")
        case .binaryBits: return Self.scaled(number, 1024, ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"], "bps")
        case .bytes: return Self.scaled(number, 1000, ["", "k", "M", "G", "T", "P", "E"], "B")
        case .binaryBytes: return Self.scaled(number, 1024, ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"], "B")
        }
    }

    private static func name(_ text: UnsafeMutablePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "?" }

    /// A number with three significant digits: `4.72 kB`.
    private static func scaled(
        _ number: LoggedInteger,
        _ step: Double,
        _ prefixes: [String],
        _ unit: String
    ) -> String {
        var value = Double(number.magnitude)
        var power = 0
        while value >= step, power < prefixes.count - 1 {
            value /= step
            power += 1
        }
        var format = NumberFormat()
        format.precision = power == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
        return (number.isNegative ? "-" : "") + format.floating(value) + " " + prefixes[power] + unit
    }

    /// A file mode as formatted by `ls`: `-rw-r--r--`.
    private static func mode(_ bits: UInt64) -> String {
        let kind: String
        switch UInt32(truncatingIfNeeded: bits) & S_IFMT {
        case S_IFDIR: kind = "d"
        case S_IFLNK: kind = "l"
        case S_IFSOCK: kind = "s"
        case S_IFIFO: kind = "p"
        case S_IFCHR: kind = "c"
        case S_IFBLK: kind = "b"
        default: kind = "-"
        }
        let rights = (0..<9).map { place in
            bits >> UInt64(8 - place) & 1 == 1 ? ["r", "w", "x"][place % 3] : "-"
        }
        return kind + rights.joined()
    }
}
