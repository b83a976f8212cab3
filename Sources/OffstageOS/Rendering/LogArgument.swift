// SPDX-License-Identifier: Apache-2.0

/// A value that an app puts into a message, classified by its own type: the format is not trusted.
package enum LogArgument {
    case integer(LoggedInteger)
    case floating(Double)
    case boolean(Bool)
    /// A string; a string from the program's source is not private.
    case text(String, isStatic: Bool)
    /// Anything else, with a closure that describes it.
    case object(() -> String)
    case pointer(UInt)
    /// A C string, which is read only if `%s` requests it and it may be shown or hashed.
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
        // Not every value that can be cast to Bool is one: an NSNumber can be.
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

    /// Whether the value may be personal, whatever the format treats it as.
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
