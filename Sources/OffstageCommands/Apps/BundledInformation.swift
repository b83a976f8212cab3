// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The `Info.plist` of an app to create: checked, and completed where possible.
package struct BundledInformation: Equatable {
    package let bytes: [UInt8]
    package let identifier: String

    /// - Parameters:
    ///   - source: the file's content.
    ///   - plist: its path, for messages.
    ///   - executable: the name of the executable.
    ///   - identifier: the app's identifier if the file has none; nil if only the file may provide it.
    /// - Throws: `CommandFailure` for anything that is not a property list, or that belongs to another app.
    package init(
        _ source: [UInt8],
        plist: String,
        executable: String,
        identifier: String?
    ) throws(CommandFailure) {
        let file = plist.redactedControls
        var bytes = source
        if !Self.isBinary(source) {
            bytes = Self.filled(source, executable: executable, identifier: identifier)
        }
        var bundle = try Self.bundle(bytes, file)
        var missing: [(key: String, value: String)] = []
        if (bundle.executable ?? "").isEmpty { missing.append(("CFBundleExecutable", executable)) }
        if let identifier, (bundle.identifier ?? "").isEmpty { missing.append(("CFBundleIdentifier", identifier)) }
        if !missing.isEmpty {
            guard let completed = Self.adding(missing, to: bytes) else {
                let keys = missing.map(\.key).joined(separator: " and ")
                throw CommandFailure("\(file) has no \(keys), which can only be added to XML: write it there.")
            }
            bytes = completed
            bundle = try Self.bundle(bytes, file)
        }
        let names = (bundle.executable ?? "").redactedControls
        guard bundle.executable == executable else {
            throw CommandFailure(
                "\(file) is for '\(names)' (CFBundleExecutable), and the executable is '\(executable.redactedControls)'."
            )
        }
        guard let found = bundle.identifier, !found.isEmpty else {
            throw CommandFailure("\(file) has no CFBundleIdentifier: write it there, or give it with --identifier.")
        }
        if let identifier, identifier != found {
            throw CommandFailure("\(file) says that the app is '\(found.redactedControls)' (CFBundleIdentifier).")
        }
        guard AppIdentity(link: "/" + executable).name([bundle]) == found else {
            throw CommandFailure(
                "'\(found.redactedControls)' (CFBundleIdentifier in \(file)) cannot be an app's name: use letters and dots."
            )
        }
        self.bytes = bytes
        self.identifier = found
    }

    private static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    private static func bundle(_ bytes: [UInt8], _ file: String) throws(CommandFailure) -> AppIdentity.Bundle {
        guard PropertyListShape.isHarmless(bytes),
            let bundle = try? PropertyListDecoder().decode(AppIdentity.Bundle.self, from: Data(bytes))
        else {
            throw CommandFailure("\(file) is not an app's property list, in XML or binary.")
        }
        return bundle
    }

    /// Replaces the variables that Xcode fills in when it builds.
    private static func filled(_ bytes: [UInt8], executable: String, identifier: String?) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "$")), let text = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        var values = ["EXECUTABLE_NAME", "PRODUCT_NAME", "TARGET_NAME"].map { ($0, executable) }
        if let identifier { values.append(("PRODUCT_BUNDLE_IDENTIFIER", identifier)) }
        var filled = text
        for (name, value) in values {
            filled = filled.replacing("$(\(name))", with: XMLText.escaped(value))
            filled = filled.replacing("${\(name)}", with: XMLText.escaped(value))
        }
        return Array(filled.utf8)
    }

    /// Adds keys at the end of the outermost dictionary; nil if there is no dictionary in XML.
    private static func adding(_ pairs: [(key: String, value: String)], to bytes: [UInt8]) -> [UInt8]? {
        guard !isBinary(bytes), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let end = "</dict>"
        let starts = text.indices.reversed().lazy.filter { text[$0...].hasPrefix(end) }
        guard let place = starts.first else { return nil }
        let lines = pairs.map { "    <key>\($0.key)</key>\n    <string>\(XMLText.escaped($0.value))</string>\n" }
        return Array((text[..<place] + lines.joined() + text[place...]).utf8)
    }
}
