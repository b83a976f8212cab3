// SPDX-License-Identifier: Apache-2.0
import OffstageCommands

extension PageReply {
    /// Creates a JSON answer.
    static func document(_ document: some Encodable, status: UInt32 = 200) -> PageReply {
        guard let text = try? JSONText.of(document) else { return PageReply(.content) }
        return PageReply(status: status, type: "application/json", body: .bytes(Array(text.utf8)))
    }
}
