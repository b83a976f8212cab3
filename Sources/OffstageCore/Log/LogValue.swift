// SPDX-License-Identifier: Apache-2.0

/// The values that accompany a constant message, in order.
package typealias LogMetadata = KeyValuePairs<StaticString, any LogValue>

/// A value that may be written to the log. A type that can hold a secret leaves it out of this text.
package protocol LogValue {
    var logText: String { get }
}

extension String: LogValue {
    package var logText: String { self }
}

extension LogValue where Self: BinaryInteger {
    package var logText: String { String(self) }
}

extension Int: LogValue {}
extension Int32: LogValue {}
extension Int64: LogValue {}
extension UInt64: LogValue {}

extension TransferID: LogValue {
    package var logText: String { description }
}

extension StoreError: LogValue {
    package var logText: String { sentence }
}

extension TransferFailure: LogValue {
    /// What happened; secrets were struck out when the failure was made.
    package var logText: String { detail }
}

extension RequestURL: LogValue {
    /// Without user information, query and fragment.
    package var logText: String { description }
}
