// SPDX-License-Identifier: Apache-2.0
import Glibc

extension FormatString {
    /// The message that a format makes of values. A value is shown as what it is: where the format takes it for something
    /// else, the message says so in its place, and what is private stays so.
    ///
    /// - Parameters:
    ///   - values: as many as there are; what is missing is named in its place, what is too much is left out.
    ///   - hash: with which values of this process are hashed.
    ///   - errorNumber: what `%m` is about.
    /// - Returns: what everybody may read.
    package func message(_ values: [Any], hash: KeyedHash = .ofThisProcess, errorNumber: Int32 = 0) -> String {
        var rest = values.makeIterator()
        var message = ""
        for part in parts {
            switch part {
            case .text(let text): message += text
            case .errorNumber: message += String(cString: strerror(errorNumber))
            case .value(var placeholder):
                if placeholder.takesWidth { placeholder.format.take(width: Self.extent(rest.next())) }
                if placeholder.takesPrecision { placeholder.format.take(precision: Self.extent(rest.next())) }
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
        // A text is no less personal for being taken for a number.
        let disclosure = Disclosure(privacy, isPersonal: value.isPersonal)
        guard let shown = shown(value) else {
            return disclosure == .shown ? "<value of another type>" : disclosure.text(hash: hash) { "" }
        }
        return disclosure.text(hash: hash, shown)
    }

    /// The value as the conversion shows it, made when it is asked for; nil when that shows no such value.
    private func shown(_ value: LogArgument) -> (() -> String)? {
        switch conversion {
        case "@", "s", "S": return described(value)
        case "P":
            // How many bytes there are only the format says: none of them is read.
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

    /// What is read of a text of C at most.
    private static let mostCharacters = 4096

    /// A text of C ends with a zero, or where the format says: no byte behind is read.
    private static func read(_ text: UnsafePointer<CChar>, upTo most: Int) -> String {
        let length = strnlen(text, most)
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}
