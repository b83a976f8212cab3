// SPDX-License-Identifier: Apache-2.0

/// What a request is answered with, ready to be sent.
struct RouteAnswer: Sendable {
    var payload: [UInt8]
    /// Goes with the reply and is closed when it has been sent; -1 for none.
    var descriptor: Int32 = -1
    /// Called on the loop once the reply is on its way.
    var afterwards: (@Sendable () -> Void)?
}
