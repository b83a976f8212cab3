// SPDX-License-Identifier: Apache-2.0
public import Foundation

// Strings and objects may be personal, so they are private by default.
extension OSLogInterpolation {
    /// Adds a string.
    ///
    /// - Parameters:
    ///   - argumentString: the string, evaluated only if it is shown or hashed.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; private by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure () -> String,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy, align, argumentString)
    }

    /// Adds the description of a value. A `StaticString` is part of the program's source, and is shown.
    ///
    /// - Parameters:
    ///   - value: the value; its description is created only if it is shown or hashed.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; private by default.
    ///   - attributes: intended for tools that Linux does not have.
    @_disfavoredOverload  // numbers and strings also conform, and have their own overloads
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure () -> T,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: T.self != StaticString.self, privacy, align) { value().description }
    }

    /// Adds the description of an object, or `(null)` for nil.
    ///
    /// - Parameters:
    ///   - argumentObject: the object; its description is created only if it is shown or hashed.
    ///   - privacy: who may read the value; private by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure () -> NSObject?,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy) { argumentObject()?.description ?? "(null)" }
    }

    /// Adds the description of an error.
    ///
    /// - Parameters:
    ///   - error: the error; its description is created only if it is shown or hashed.
    ///   - privacy: who may read the value; private by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ error: @autoclosure () -> any Error,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy) { String(describing: error()) }
    }

    /// Adds the name of a type.
    ///
    /// - Parameters:
    ///   - value: the type.
    ///   - align: the minimum width and the alignment.
    ///   - privacy: who may read the value; private by default, like Apple's.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> Any.Type,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy, align) { String(describing: value()) }
    }

    /// Adds an address in memory. The memory is not read.
    ///
    /// - Parameters:
    ///   - pointer: the address.
    ///   - privacy: who may read the value; public by default.
    ///   - attributes: intended for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ pointer: @autoclosure () -> UnsafeRawPointer,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy) { NumberFormat().integer(LoggedInteger(UInt(bitPattern: pointer())), "p") }
    }
}
