// SPDX-License-Identifier: Apache-2.0

/// A value that an app puts into a message, as what it is: no format is believed about it.
package enum LogArgument {
    case integer(LoggedInteger)
    case floating(Double)
    case boolean(Bool)
    /// A text; one that stands in the program's source is nobody's secret.
    case text(String, isStatic: Bool)
    /// Anything else, with what describes it.
    case object(() -> String)
    case pointer(UInt)
    /// A text of C, which is read only where `%s` asks for it and it may be shown or hashed.
    case characters(UnsafePointer<CChar>)
    case nothing

    package init(_ value: Any) {
        switch value {
        case let optional as any LoggedOptional:
            guard let value = optional.loggedValue else {
                self = .nothing
                return
            }
            self = LogArgument(value)
        // Not every value that can become a Bool is one: an object of NSNumber can.
        case let flag as Bool where type(of: value) == Bool.self: self = .boolean(flag)
        case let number as any FixedWidthInteger: self = .integer(Self.integer(number))
        case let number as any BinaryFloatingPoint: self = .floating(Self.double(number))
        case let text as StaticString: self = .text(text.description, isStatic: true)
        case let text as String: self = .text(text, isStatic: false)
        case let pointer as UnsafePointer<CChar>: self = .characters(pointer)
        case let pointer as UnsafeMutablePointer<CChar>: self = .characters(UnsafePointer(pointer))
        case let pointer as UnsafeRawPointer: self = .pointer(UInt(bitPattern: pointer))
        case let pointer as UnsafeMutableRawPointer: self = .pointer(UInt(bitPattern: pointer))
        case let pointer as OpaquePointer: self = .pointer(UInt(bitPattern: pointer))
        default: self = .object { String(describing: value) }
        }
    }

    /// Whether it may be somebody's own, whatever a format takes it for.
    package var isPersonal: Bool {
        switch self {
        case .integer, .floating, .boolean, .pointer, .nothing, .text(_, isStatic: true): false
        case .text, .object, .characters: true
        }
    }

    private static func integer<Number: FixedWidthInteger>(_ number: Number) -> LoggedInteger { LoggedInteger(number) }

    private static func double<Number: BinaryFloatingPoint>(_ number: Number) -> Double { Double(number) }
}

/// An optional of any type.
protocol LoggedOptional {
    var loggedValue: Any? { get }
}

extension Optional: LoggedOptional {
    var loggedValue: Any? { self }
}
