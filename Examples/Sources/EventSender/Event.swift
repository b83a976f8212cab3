// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A user action.
struct Event: Codable, Sendable {
    var id = UUID()
    var name: String
    var date = Date()
}
