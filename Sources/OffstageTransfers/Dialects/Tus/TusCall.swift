// SPDX-License-Identifier: Apache-2.0

/// A call of the tus protocol.
enum TusCall: Sendable, Equatable {
    /// OPTIONS: the server's capabilities.
    case discover
    /// POST: creates an upload without bytes.
    case create
    /// HEAD: how many bytes have arrived.
    case locate
    /// PATCH: bytes of the file.
    case append(Range<Int64>)
}
