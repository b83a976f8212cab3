// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Marks a point in time, or the beginning or end of an interval, like Apple's `os_signpost`. Not written by default
/// (docs/logging.md). From any thread; it neither waits nor fails.
///
/// - Parameters:
///   - type: the type of the signpost.
///   - dso: has no effect.
///   - log: the subsystem and category of the signpost.
///   - name: the signpost's name.
///   - signpostID: distinguishes intervals with the same name.
public func os_signpost(  // swift-format-ignore: AlwaysUseLowerCamelCase
    _ type: OSSignpostType,
    dso: UnsafeRawPointer? = #dsohandle,
    log: OSLog,
    name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {
    log.mark(type, name, signpostID, duration: nil) { "" }
}

/// Marks a point in time, or the beginning or end of an interval, with values, like Apple's `os_signpost`. Not written
/// by default (docs/logging.md). From any thread; it neither waits nor fails.
///
/// - Parameters:
///   - type: the type of the signpost.
///   - dso: has no effect.
///   - log: the subsystem and category of the signpost.
///   - name: the signpost's name.
///   - signpostID: distinguishes intervals with the same name.
///   - format: a format string, as for `os_log`, for further information.
///   - arguments: the values of the format.
public func os_signpost(  // swift-format-ignore: AlwaysUseLowerCamelCase
    _ type: OSSignpostType,
    dso: UnsafeRawPointer? = #dsohandle,
    log: OSLog,
    name: StaticString,
    signpostID: OSSignpostID = .exclusive,
    _ format: StaticString,
    _ arguments: Any...
) {
    let errorNumber = errno
    log.mark(type, name, signpostID, duration: nil) {
        FormatString(format.description).message(arguments, errorNumber: errorNumber)
    }
}

extension OSLog {
    /// Writes a signpost if signposts are kept and this one has a number.
    func mark(
        _ type: OSSignpostType,
        _ name: StaticString,
        _ id: OSSignpostID,
        duration: Duration?,
        _ message: () -> String
    ) {
        guard signpostsEnabled, id != .invalid, id != .null else { return }
        let text = SignpostText(type, name: name.description, id: id, duration: duration, message: message())
        write(.debug, text.text)
    }
}
