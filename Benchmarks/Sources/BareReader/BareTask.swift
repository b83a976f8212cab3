// SPDX-License-Identifier: Apache-2.0

/// An upload of a background session as a program hands it over.
struct BareTask: Decodable {
    struct Source: Decodable {
        struct Identity: Decodable {
            var device: UInt64
            var inode: UInt64
            var size: Int64
            var modified: Int64
        }
        var path: String
        var identity: Identity
    }
    struct Header: Decodable {
        var name: String
        var value: String
    }
    struct Key: Decodable {
        var session: String
        var task: Int
    }
    var upload: Source
    var url: String
    var method: String?
    var headers: [Header]?
    var owner: String
    var label: String?
    var priority: Double?
    var connectionsPerHost: Int?
    var sessionTask: Key
}
