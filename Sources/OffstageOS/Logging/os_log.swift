// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Logs a message with values, like Apple's `os_log`. From any thread; it neither waits nor fails.
///
/// Values are shown according to their own type. The message marks a placeholder that has no value, or whose value has
/// a different type. Strings and objects are `<private>` unless the format has `%{public}@`.
///
/// - Parameters:
///   - message: the format string.
///   - dso: has no effect.
///   - log: the subsystem and category of the entry.
///   - type: the level.
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

/// Logs a message with values, like `os_log(_:dso:log:type:_:)`, with the type first.
///
/// - Parameters:
///   - type: the level.
///   - dso: has no effect.
///   - log: the subsystem and category of the entry.
///   - message: the format string.
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

/// Logs an interpolated message, like `Logger`.
///
/// - Parameter message: created only if the entry is kept.
@_disfavoredOverload  // a literal without values is a format string, like Apple's
public func os_log(_ message: @autoclosure () -> OSLogMessage) {  // swift-format-ignore: AlwaysUseLowerCamelCase
    write(message, .default, .default)
}

/// Logs an interpolated message, like `Logger`.
///
/// - Parameters:
///   - type: the level.
///   - log: the subsystem and category of the entry.
///   - message: created only if the entry is kept.
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
