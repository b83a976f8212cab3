// SPDX-License-Identifier: Apache-2.0

/// Why another user could have placed the file at a path.
package enum PathDoubt: Error, Sendable, Hashable {
    case owner(path: String, owner: UInt32)
    case writable(path: String, byEverybody: Bool)
    /// Not a file, folder or link that may be part of such a path.
    case kind(path: String)

    /// The problem, as the middle of a sentence.
    package var detail: String {
        switch self {
        case .owner(let path, let owner): "\(path) belongs to user \(owner)"
        case .writable(let path, let byEverybody):
            "\(path) may be written by \(byEverybody ? "everybody" : "others in its group")"
        case .kind(let path): "\(path) is neither a file nor a folder"
        }
    }

    /// A person's possible action, as the end of a sentence.
    package var advice: String {
        switch self {
        case .owner: "move it to a folder of your own, or change its owner"
        case .writable(let path, let byEverybody): "run 'chmod \(byEverybody ? "o" : "g")-w \(path)', or move it"
        case .kind: "name another"
        }
    }
}
