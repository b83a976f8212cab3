// SPDX-License-Identifier: Apache-2.0

/// An upload of a background session as a program hands it over.
struct BareTask: Decodable {
    struct Source: Decodable {
        var path: String
        var identity: [Int64]
    }
    struct Key: Decodable {
        var session: String
        var task: Int
    }
    var upload: Source
    var url: String
    var method: String?
    var headers: [String]?
    var owner: String
    var label: String?
    var priority: Double?
    var connectionsPerHost: Int?
    var sessionTask: Key
}
