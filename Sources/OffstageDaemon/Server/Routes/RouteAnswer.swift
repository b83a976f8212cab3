// SPDX-License-Identifier: Apache-2.0

/// The answer to a request, ready to be sent.
struct RouteAnswer: Sendable {
    var payload: [UInt8]
    /// Sent with the reply and closed afterwards; -1 for no descriptor.
    var descriptor: Int32 = -1
    /// Called on the loop once the reply is on its way.
    var afterwards: (@Sendable () -> Void)?
}
