// SPDX-License-Identifier: Apache-2.0
import OffstageCommands

extension PageReply {
    /// An answer in JSON.
    static func document(_ document: some Encodable, status: UInt32 = 200) -> PageReply {
        guard let text = try? JSONText.of(document) else { return PageReply(.content) }
        return PageReply(status: status, type: "application/json", body: .bytes(Array(text.utf8)))
    }
}
