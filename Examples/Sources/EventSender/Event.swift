// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Something that the user has done.
struct Event: Codable, Sendable {
    var id = UUID()
    var name: String
    var date = Date()
}
