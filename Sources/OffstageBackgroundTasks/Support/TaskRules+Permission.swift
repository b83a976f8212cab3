// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol

extension TaskRules.Reply {
    /// Whether a handler may be registered for an identifier: it is in the list, or begins as an entry that ends in `.*`.
    func permits(_ identifier: String) -> Bool {
        permittedIdentifiers.contains(identifier) || permitsByPattern(identifier)
    }

    /// Whether an entry that ends in `.*` permits it: such tasks are continued processing, whose handlers may be
    /// registered at any time.
    func permitsByPattern(_ identifier: String) -> Bool {
        permittedIdentifiers.contains { entry in
            entry.hasSuffix(".*") && identifier.count >= entry.count && identifier.hasPrefix(entry.dropLast())
        }
    }
}
