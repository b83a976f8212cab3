// SPDX-License-Identifier: Apache-2.0
import CExpat

/// An element of a short XML document from a server.
package struct XMLElement: Sendable, Equatable {
    /// The name, without a prefix.
    package var name: String
    /// The element's text, without its children's.
    package var text = ""
    package var children: [XMLElement] = []

    /// The maximum depth and number of elements: a server could send more than fits on the stack or in memory.
    private static let deepest = 16
    private static let mostElements = 20_000
    /// The maximum size of the text of all elements together, in bytes: that of the longest accepted answer
    /// (`TokenRequest`).
    private static let mostText = 2 << 20

    init(name: String) { self.name = name }

    /// Parses a document, possibly preceded by white space, which S3 sends to keep a connection alive.
    ///
    /// - Returns: the root; nil for a document that is malformed, too deep or too long, or has a document type.
    package static func root(of bytes: [UInt8]) -> XMLElement? {
        let document = bytes.drop { [9, 10, 13, 32].contains($0) }
        guard !document.isEmpty, let parser = XML_ParserCreate(nil) else { return nil }
        defer { XML_ParserFree(parser) }
        let builder = Builder(parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
        XML_SetElementHandler(parser, Builder.began, Builder.ended)
        XML_SetCharacterDataHandler(parser, Builder.read)
        XML_SetStartDoctypeDeclHandler(parser, Builder.beganDoctype)
        let isSound = document.withUnsafeBytes { text in
            text.withMemoryRebound(to: CChar.self) {
                XML_Parse(parser, $0.baseAddress, Int32(clamping: $0.count), 1) == XML_STATUS_OK
            }
        }
        return withExtendedLifetime(builder) { isSound ? builder.root : nil }
    }

    /// The first child with this name.
    package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The text of the first child with this name, without surrounding white space; nil if there is none.
    package func value(_ name: String) -> String? {
        guard let text = self[name]?.text else { return nil }
        let bytes = text.utf8.drop { $0 <= 32 }
        let end = bytes.lastIndex { $0 > 32 }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Builds the tree while expat reads.
    private final class Builder {
        private let parser: XML_Parser
        private var open: [XMLElement] = []
        private var count = 0
        private var textBytes = 0
        var root: XMLElement?

        init(_ parser: XML_Parser) { self.parser = parser }

        static let began: XML_StartElementHandler = { data, name, _ in
            guard let builder = Builder.from(data), let name else { return }
            builder.begin(String(cString: name))
        }

        static let ended: XML_EndElementHandler = { data, _ in Builder.from(data)?.end() }

        static let read: XML_CharacterDataHandler = { data, text, length in
            guard let builder = Builder.from(data), let text, length > 0 else { return }
            builder.append(UnsafeRawBufferPointer(start: text, count: Int(length)))
        }

        /// A document type declares entities, which expand a few bytes to megabytes of text: expat allows 8 MiB before
        /// it checks the ratio, and a server can send such an answer again and again. No answer of S3 needs one.
        static let beganDoctype: XML_StartDoctypeDeclHandler = { data, _, _, _, _ in Builder.from(data)?.stop() }

        private static func from(_ data: UnsafeMutableRawPointer?) -> Builder? {
            data.map { Unmanaged<Builder>.fromOpaque($0).takeUnretainedValue() }
        }

        private func begin(_ name: String) {
            count = count.addingClamped(1)
            guard open.count < deepest, count <= mostElements else { return stop() }
            let colon = name.utf8.lastIndex(of: UInt8(ascii: ":"))
            let local = colon.map { name.utf8[$0...].dropFirst() } ?? name.utf8[...]
            open.append(XMLElement(name: String(decoding: local, as: UTF8.self)))
        }

        private func append(_ text: UnsafeRawBufferPointer) {
            textBytes = textBytes.addingClamped(text.count)
            guard textBytes <= mostText else { return stop() }
            guard let last = open.indices.last else { return }
            open[last].text += String(decoding: text, as: UTF8.self)
        }

        private func end() {
            guard let element = open.popLast() else { return }
            if let last = open.indices.last {
                open[last].children.append(element)
            } else {
                root = element
            }
        }

        /// Rejects the document: expat reads no further, and reports it as malformed.
        private func stop() { XML_StopParser(parser, XML_Bool(XML_FALSE)) }
    }
}
