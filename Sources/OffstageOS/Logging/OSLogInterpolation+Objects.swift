// SPDX-License-Identifier: Apache-2.0
public import Foundation

// Texts and objects may be somebody's own: they are shown only where the app says so.
extension OSLogInterpolation {
    /// Adds a text.
    ///
    /// - Parameters:
    ///   - argumentString: the text, asked for only when it is shown or hashed.
    ///   - align: in how many columns.
    ///   - privacy: who may read it; nobody unless said otherwise.
    ///   - attributes: for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure () -> String,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy, align, argumentString)
    }

    /// Adds what a value says of itself. A `StaticString` stands in the program's source, and is shown.
    ///
    /// - Parameters:
    ///   - value: the value, asked for its description only when that is shown or hashed.
    ///   - align: in how many columns.
    ///   - privacy: who may read it; nobody unless said otherwise.
    ///   - attributes: for tools that Linux does not have.
    @_disfavoredOverload  // numbers and texts describe themselves, too, and have forms of their own
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure () -> T,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: T.self != StaticString.self, privacy, align) { value().description }
    }

    /// Adds what an object says of itself, `(null)` where there is none.
    ///
    /// - Parameters:
    ///   - argumentObject: the object, asked for its description only when that is shown or hashed.
    ///   - privacy: who may read it; nobody unless said otherwise.
    ///   - attributes: for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure () -> NSObject?,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy) { argumentObject()?.description ?? "(null)" }
    }

    /// Adds what an error says of itself.
    ///
    /// - Parameters:
    ///   - error: the error, asked for its description only when that is shown or hashed.
    ///   - privacy: who may read it; nobody unless said otherwise.
    ///   - attributes: for tools that Linux does not have.
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
    ///   - align: in how many columns.
    ///   - privacy: who may read it; nobody unless said otherwise, as with Apple's.
    ///   - attributes: for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> Any.Type,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: true, privacy, align) { String(describing: value()) }
    }

    /// Adds the place where something lies in memory. What lies there is not read.
    ///
    /// - Parameters:
    ///   - pointer: the place.
    ///   - privacy: who may read it; shown unless said otherwise.
    ///   - attributes: for tools that Linux does not have.
    public mutating func appendInterpolation(
        _ pointer: @autoclosure () -> UnsafeRawPointer,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(isPersonal: false, privacy) { NumberFormat().integer(LoggedInteger(UInt(bitPattern: pointer())), "p") }
    }
}
