// SPDX-License-Identifier: Apache-2.0
import CIDN2
package import OffstageCore

/// Converts host names in other scripts to the form of name servers (IDNA2008 with UTS 46, as in curl).
package enum HostName {
    /// - Returns: the name in ASCII, such as `xn--mnchen-3ya.example`.
    /// - Throws: `RequestError` for a text that cannot be a host name.
    package static func ascii(_ name: String) throws(RequestError) -> String {
        // As in curl, since a name that today's rules refuse may be valid under the rules of 2003.
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
        throw .invalidURL("its host '\(name.redactedControls)' is not a host name (\(why))")
    }

    /// A URL as it was typed.
    ///
    /// - Throws: `CommandFailure`, one sentence.
    package static func url(_ text: String) throws(CommandFailure) -> RequestURL {
        do throws(RequestError) { return try RequestURL(typed: text, ascii: ascii) } catch {
            throw CommandFailure(error.sentence, .usage)
        }
    }

    /// A name as people write it, if it cannot be mistaken for another: each part consists of Western European Latin
    /// letters, or of Korean, Chinese and Japanese letters, which resemble no Latin letter. Other names, such as
    /// Cyrillic ones, stay `xn--…`.
    ///
    /// - Parameter name: the name in ASCII.
    /// - Returns: nil if it is to be shown unchanged.
    package static func readable(_ name: String) -> String? {
        guard name.firstRange(of: "xn--") != nil else { return nil }
        var found: UnsafeMutablePointer<CChar>?
        let code = idn2_to_unicode_8z8z(name, &found, 0)
        defer { idn2_free(found) }
        guard code == IDN2_OK.rawValue, let found, let text = String(validatingCString: found) else { return nil }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ isOfOneKind($0) }), (try? ascii(text)) == name else { return nil }
        return text
    }

    private static func isOfOneKind(_ label: Substring) -> Bool {
        let letters = label.unicodeScalars.filter { $0 != "-" && !("0"..."9").contains($0) }
        return letters.allSatisfy { ("a"..."z").contains($0) || ("\u{DF}"..."\u{FF}").contains($0) && $0 != "\u{F7}" }
            || letters.allSatisfy { scalar in
                eastAsian.contains { $0.contains(scalar.value) }
            }
    }

    /// Kana, Chinese letters and Korean syllables.
    private static let eastAsian: [ClosedRange<UInt32>] = [
        0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FE, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
    ]

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
