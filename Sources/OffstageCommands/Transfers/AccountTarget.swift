// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A place in an account, as written on a command line: `dropbox:/Photos/a.jpg`.
package struct AccountTarget: Sendable, Hashable {
    package var account: String
    /// Begins with `/`; a folder's ends with it.
    package var path: String

    package init(account: String, path: String) {
        self.account = account
        self.path = path
    }

    /// Returns nil for a URL, or for a text that does not begin with an account's name and `:/`.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let path = text[text.index(after: colon)...]
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
        do throws(RequestError) { try Account.validate(name: String(text[..<colon])) } catch { return nil }
        self.init(account: String(text[..<colon]), path: String(path))
    }

    /// Whether file names can be appended to it.
    package var isFolder: Bool { path.hasSuffix("/") }
}
