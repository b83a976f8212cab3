// SPDX-License-Identifier: Apache-2.0

/// A call of the tus protocol.
enum TusCall: Sendable, Equatable {
    /// OPTIONS: what the server can do.
    case discover
    /// POST: an upload without bytes.
    case create
    /// HEAD: how many bytes have arrived.
    case locate
    /// PATCH: bytes of the file.
    case append(Range<Int64>)
}
