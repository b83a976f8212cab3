// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Logs a message with values, as Apple's `os_log`. From any thread; it neither waits nor fails.
///
/// Values are shown as what they are: a format that takes one for something else says so in its place, and one without a
/// value does, too. Texts and objects are `<private>` unless the format says `%{public}@`.
///
/// - Parameters:
///   - message: a format.
///   - dso: has no effect.
///   - log: whose subsystem and category the entry has.
///   - type: how much it matters.
///   - args: the values.
public func os_log(  // swift-format-ignore: AlwaysUseLowerCamelCase
    _ message: StaticString,
    dso: UnsafeRawPointer? = #dsohandle,
    log: OSLog = .default,
    type: OSLogType = .default,
    _ args: Any...
) {
    write(message, args, errno, log, type)
}

/// Logs a message with values, as `os_log(_:dso:log:type:_:)`, with the type first.
///
/// - Parameters:
///   - type: how much it matters.
///   - dso: has no effect.
///   - log: whose subsystem and category the entry has.
///   - message: a format.
///   - args: the values.
public func os_log(  // swift-format-ignore: AlwaysUseLowerCamelCase
    _ type: OSLogType,
    dso: UnsafeRawPointer? = #dsohandle,
    log: OSLog = .default,
    _ message: StaticString,
    _ args: Any...
) {
    write(message, args, errno, log, type)
}

/// Logs a message with values in it, as `Logger` does.
///
/// - Parameter message: made only when the entry is kept.
@_disfavoredOverload  // a text without values is a format, as with Apple's
public func os_log(_ message: @autoclosure () -> OSLogMessage) {  // swift-format-ignore: AlwaysUseLowerCamelCase
    write(message, .default, .default)
}

/// Logs a message with values in it, as `Logger` does.
///
/// - Parameters:
///   - type: how much it matters.
///   - log: whose subsystem and category the entry has.
///   - message: made only when the entry is kept.
@_disfavoredOverload
public func os_log(  // swift-format-ignore: AlwaysUseLowerCamelCase
    _ type: OSLogType,
    log: OSLog = .default,
    _ message: @autoclosure () -> OSLogMessage
) {
    write(message, log, type)
}

private func write(_ message: StaticString, _ values: [Any], _ errorNumber: Int32, _ log: OSLog, _ type: OSLogType) {
    let level = LogLevel(type)
    guard log.keeps(level) else { return }
    log.write(level, FormatString(message.description).message(values, errorNumber: errorNumber))
}

private func write(_ message: () -> OSLogMessage, _ log: OSLog, _ type: OSLogType) {
    let level = LogLevel(type)
    guard log.keeps(level) else { return }
    log.write(level, message().text)
}
