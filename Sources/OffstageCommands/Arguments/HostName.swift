// SPDX-License-Identifier: Apache-2.0
import CIDN2
package import OffstageCore

/// Names of hosts in other scripts, as name servers know them (IDNA2008 with UTS 46, as curl has it).
package enum HostName {
    /// - Returns: the name in ASCII, such as `xn--mnchen-3ya.example`.
    /// - Throws: `RequestError` for what can be no host's name.
    package static func ascii(_ name: String) throws(RequestError) -> String {
        // As curl: what the rules of today refuse may be right by those of 2003.
        let attempts = [
            Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue), Int32(IDN2_TRANSITIONAL.rawValue),
        ]
        var problem = IDN2_OK.rawValue
        for flags in attempts {
            var found: UnsafeMutablePointer<UInt8>?
            let code = name.withCString(encodedAs: UTF8.self) { idn2_lookup_u8($0, &found, flags) }
            defer { idn2_free(found) }
            if code == IDN2_OK.rawValue, let found { return String(cString: found) }
            problem = code
        }
        let why = idn2_strerror(problem).map { String(cString: $0) } ?? "error \(problem)"
        throw .invalidURL("its host '\(name.redactedControls)' is no host name (\(why))")
    }

    /// A URL as it was typed.
    ///
    /// - Throws: `CommandFailure`, one sentence.
    package static func url(_ text: String) throws(CommandFailure) -> RequestURL {
        do throws(RequestError) { return try RequestURL(typed: text, ascii: ascii) } catch {
            throw CommandFailure(error.sentence, .usage)
        }
    }

    /// `HOST:PORT:…` with every name in ASCII.
    static func place(_ text: String) throws(UsageError) -> String {
        var parts: [String] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false).map(String.init) {
            if part.utf8.allSatisfy({ $0 < 128 }) {
                parts.append(part)
            } else {
                do throws(RequestError) { parts.append(try ascii(part)) } catch { throw UsageError(error.middle) }
            }
        }
        return parts.joined(separator: ":")
    }
}
