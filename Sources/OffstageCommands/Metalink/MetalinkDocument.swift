// SPDX-License-Identifier: Apache-2.0
import CExpat
import OffstageCore

/// Parses a Metalink (RFC 5854) with expat. The document is untrusted, and may be hostile.
package enum MetalinkDocument {
    /// The most bytes of a document.
    package static let longest = 8 << 20

    /// - Returns: its files, at least one.
    /// - Throws: `MetalinkReader.Mistake`.
    package static func files(of bytes: [UInt8]) throws(MetalinkReader.Mistake) -> [MetalinkFile] {
        guard bytes.count <= longest else { throw .init(text: "it is longer than \(longest) bytes") }
        let separator = CChar(bitPattern: MetalinkReader.separator.asciiValue ?? 0)
        guard let parser = XML_ParserCreateNS(nil, separator) else { throw .init(text: "there is not enough memory") }
        defer { XML_ParserFree(parser) }
        let feed = Feed(parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(feed).toOpaque())
        XML_SetElementHandler(parser, Feed.began, Feed.ended)
        XML_SetCharacterDataHandler(parser, Feed.read)
        XML_SetStartDoctypeDeclHandler(parser, Feed.beganDoctype)
        let isSound = bytes.withUnsafeBytes { text in
            text.withMemoryRebound(to: CChar.self) {
                XML_Parse(parser, $0.baseAddress, Int32(clamping: $0.count), 1) == XML_STATUS_OK
            }
        }
        let end = withExtendedLifetime(feed) { (reader: feed.reader, mistake: feed.mistake) }
        if let mistake = end.mistake { throw mistake }
        guard isSound else {
            let why = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is malformed"
            throw .init(text: "its line \(XML_GetCurrentLineNumber(parser)) is not XML (\(why))")
        }
        return try end.reader.files()
    }

    /// Passes on expat's events, until an error occurs.
    private final class Feed {
        private let parser: XML_Parser
        private(set) var reader = MetalinkReader()
        private(set) var mistake: MetalinkReader.Mistake?

        init(_ parser: XML_Parser) { self.parser = parser }

        static let began: XML_StartElementHandler = { data, name, attributes in
            guard let feed = Feed.from(data), let name else { return }
            var found: [String: String] = [:]
            var next = attributes
            while let pair = next, let key = pair[0], let value = pair[1] {
                found[String(cString: key)] = String(cString: value)
                next = pair + 2
            }
            feed.pass { reader throws(MetalinkReader.Mistake) in try reader.begin(String(cString: name), found) }
        }

        static let ended: XML_EndElementHandler = { data, _ in
            Feed.from(data)?.pass { reader throws(MetalinkReader.Mistake) in try reader.end() }
        }

        static let read: XML_CharacterDataHandler = { data, text, length in
            guard let feed = Feed.from(data), let text, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
            let piece = String(decoding: bytes, as: UTF8.self)
            feed.pass { reader throws(MetalinkReader.Mistake) in try reader.read(piece) }
        }

        /// Rejects a document type, as it can declare entities that expand a short document without end.
        static let beganDoctype: XML_StartDoctypeDeclHandler = { data, _, _, _, _ in
            Feed.from(data)?.pass { _ throws(MetalinkReader.Mistake) in
                throw MetalinkReader.Mistake(text: "it has a document type (DOCTYPE), which no Metalink needs")
            }
        }

        private static func from(_ data: UnsafeMutableRawPointer?) -> Feed? {
            data.map { Unmanaged<Feed>.fromOpaque($0).takeUnretainedValue() }
        }

        private func pass(_ step: (inout MetalinkReader) throws(MetalinkReader.Mistake) -> Void) {
            guard mistake == nil else { return }
            do throws(MetalinkReader.Mistake) { try step(&reader) } catch {
                mistake = error
                XML_StopParser(parser, XML_Bool(XML_FALSE))
            }
        }
    }
}
