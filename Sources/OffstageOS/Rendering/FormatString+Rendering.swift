// SPDX-License-Identifier: Apache-2.0
import Glibc

extension FormatString {
    /// Returns the message for some values. A value is shown according to its own type. If the format expects a
    /// different type, the message notes that in the value's place, and private values stay private.
    ///
    /// - Parameters:
    ///   - values: the values; a missing one is marked in its place, and surplus ones are omitted.
    ///   - hash: the hash for masked values.
    ///   - errorNumber: the error number for `%m`.
    /// - Returns: the message that anyone may read.
    package func message(_ values: [Any], hash: KeyedHash = .ofThisProcess, errorNumber: Int32 = 0) -> String {
        var rest = values.makeIterator()
        var message = ""
        for part in parts {
            switch part {
            case .text(let text): message += text
            case .errorNumber: message += String(cString: strerror(errorNumber))
            case .value(var placeholder):
                if placeholder.takesWidth { placeholder.format.apply(width: Self.extent(rest.next())) }
                if placeholder.takesPrecision { placeholder.format.apply(precision: Self.extent(rest.next())) }
                guard let value = rest.next() else {
                    message += "<missing value>"
                    continue
                }
                message += placeholder.text(LogArgument(value), hash)
            }
        }
        return message
    }

    private static func extent(_ value: Any?) -> Int {
        guard let value, case .integer(let number) = LogArgument(value) else { return 0 }
        return number.nearest
    }
}

extension FormatString.Placeholder {
    fileprivate func text(_ value: LogArgument, _ hash: KeyedHash) -> String {
        // A string is no less personal if the format treats it as a number.
        let disclosure = Disclosure(privacy, isPersonal: value.isPersonal)
        guard let shown = shown(value) else {
            return disclosure == .shown ? "<value of another type>" : disclosure.text(hash: hash) { "" }
        }
        return disclosure.text(hash: hash, shown)
    }

    /// The value in the form of the conversion, created on demand; nil if the conversion does not accept such a value.
    private func shown(_ value: LogArgument) -> (() -> String)? {
        switch conversion {
        case "@", "s", "S": return described(value)
        case "P":
            // Only the format states how many bytes there are, so none of them are read.
            if case .pointer = value { return { "<data>" } }
            if case .characters = value { return { "<data>" } }
            return described(value)
        case "p":
            switch value {
            case .pointer(let address): return { format.integer(LoggedInteger(address), "p") }
            case .characters(let text): return { format.integer(LoggedInteger(UInt(bitPattern: text)), "p") }
            case .integer(let number): return { format.integer(number, "p") }
            default: return nil
            }
        case "a", "A", "e", "E", "f", "F", "g", "G":
            switch value {
            case .floating(let number): return { format.floating(number, conversion) }
            case .integer(let number):
                let value = Double(number.magnitude)
                return { format.floating(number.isNegative ? -value : value, conversion) }
            default: return nil
            }
        default: return counted(value)
        }
    }

    private func counted(_ value: LogArgument) -> (() -> String)? {
        let number: LoggedInteger
        switch value {
        case .integer(let given): number = given
        case .boolean(let flag): number = LoggedInteger(flag ? 1 : 0)
        default: return nil
        }
        if let meaning { return { format.padded(meaning.text(of: number)) } }
        guard conversion == "c" || conversion == "C" else { return { format.integer(number, conversion) } }
        return { format.padded(String(Unicode.Scalar(UInt32(truncatingIfNeeded: number.bits)) ?? "\u{FFFD}")) }
    }

    private func described(_ value: LogArgument) -> (() -> String)? {
        switch value {
        case .text(let text, _): return { format.text(text) }
        case .object(let description): return { format.text(description()) }
        case .integer(let number): return { meaning?.text(of: number) ?? format.text(NumberFormat().integer(number)) }
        case .floating(let number): return { format.text("\(number)") }
        case .boolean(let flag): return { format.text("\(flag)") }
        case .nothing: return { format.text("(null)") }
        case .pointer(let address): return { format.text(NumberFormat().integer(LoggedInteger(address), "p")) }
        case .characters(let text):
            guard conversion == "s" else {
                return { format.text(NumberFormat().integer(LoggedInteger(UInt(bitPattern: text)), "p")) }
            }
            return { format.text(Self.read(text, upTo: format.precision ?? Self.mostCharacters)) }
        }
    }

    /// The maximum number of bytes to read from a C string.
    private static let mostCharacters = 4096

    /// Reads a C string up to its terminating zero or the format's limit: no byte after that is read.
    private static func read(_ text: UnsafePointer<CChar>, upTo most: Int) -> String {
        let length = strnlen(text, most)
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}
