// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Collects the files of a Metalink from its elements, one after another: a value that performs no input.
///
/// Only elements in the places defined by RFC 5854 count. Everything else is ignored, such as elements of other
/// vocabularies, hashes of pieces and torrents.
package struct MetalinkReader: Sendable {
    /// Why a document cannot be used, as the end of a sentence.
    package struct Mistake: Error, Equatable {
        package let text: String
    }

    /// Separates the namespace from the name of an element.
    package static let separator: Character = "|"
    private static let namespace = "urn:ietf:params:xml:ns:metalink|"
    /// The namespace of version 3, which has other elements.
    private static let oldNamespace = "http://www.metalinker.org/|"

    /// The most nested elements, elements in total, files, and addresses of one file.
    private static let deepest = 32
    private static let mostElements = 200_000
    private static let mostFiles = 1000
    private static let mostURLs = 1000
    /// The most bytes of a relevant text, such as the longest URL.
    private static let longestText = 64 << 10
    /// The priority of an address without one, which is the lowest.
    private static let lowestPriority = 999_999

    private var open: [String] = []
    private var elements = 0
    /// The text of the current element; nil if it is not relevant.
    private var text: String?
    private var attributes: [String: String] = [:]
    private var urls: [(url: String, priority: Int)] = []
    private var file: MetalinkFile?
    private var done: [MetalinkFile] = []

    package init() {}

    /// Handles the beginning of an element.
    ///
    /// - Parameters:
    ///   - name: its namespace, `separator` and its name.
    ///   - attributes: its attributes, of which only those without a namespace are relevant.
    /// - Throws: `Mistake`.
    package mutating func begin(_ name: String, _ attributes: [String: String]) throws(Mistake) {
        elements = elements.addingClamped(1)
        guard open.count < Self.deepest else { throw Mistake(text: "its elements are nested too deeply") }
        guard elements <= Self.mostElements else { throw Mistake(text: "it has too many elements") }
        if open.isEmpty { try checkRoot(name) }
        open.append(name.hasPrefix(Self.namespace) ? String(name.dropFirst(Self.namespace.count)) : "")
        text = nil
        switch open {
        case ["metalink", "file"]:
            guard let fileName = attributes["name"], !fileName.isEmpty else {
                throw Mistake(text: "one of its files has no name")
            }
            guard done.count < Self.mostFiles else { throw Mistake(text: "it has more than \(Self.mostFiles) files") }
            file = MetalinkFile(name: fileName)
            urls = []
        case ["metalink", "file", "size"], ["metalink", "file", "hash"], ["metalink", "file", "url"]:
            text = ""
            self.attributes = attributes
        default: break
        }
    }

    /// Handles text in the current element.
    package mutating func read(_ piece: String) throws(Mistake) {
        guard let count = text?.utf8.count else { return }
        guard count + piece.utf8.count <= Self.longestText else {  // checked: both are in memory
            throw Mistake(text: "one of its values is too long")
        }
        // In place, as expat may deliver a text byte by byte.
        text?.append(piece)
    }

    /// Handles the end of the current element.
    package mutating func end() throws(Mistake) {
        let ended = open
        _ = open.popLast()
        guard var file else { return }
        let value = (text ?? "").trimmingSpaces
        text = nil
        switch ended {
        case ["metalink", "file", "size"]:
            guard let size = Self.size(value), ByteCounts.range.contains(size) else {
                throw Mistake(text: "the size of '\(file.name.redactedControls)' is not a number of bytes")
            }
            guard file.size == nil || file.size == size else { throw twice("sizes", file) }
            file.size = size
        case ["metalink", "file", "hash"]: try add(hash: value, &file)
        case ["metalink", "file", "url"]:
            guard urls.count < Self.mostURLs else {
                throw Mistake(text: "'\(file.name.redactedControls)' has more than \(Self.mostURLs) addresses")
            }
            let priority = attributes["priority"].flatMap(Quantity.count) ?? Self.lowestPriority
            urls.append((value, min(max(1, priority), Self.lowestPriority)))
        case ["metalink", "file"]:
            // Made stable, as Swift's sort does not guarantee that.
            file.urls = urls.enumerated()
                .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element.url)
            done.append(file)
            self.file = nil
            return
        default: return
        }
        self.file = file
    }

    /// The files, once the document has ended.
    ///
    /// - Throws: `Mistake` if there is none.
    package func files() throws(Mistake) -> [MetalinkFile] {
        guard !done.isEmpty else { throw Mistake(text: "it names no file") }
        return done
    }

    private func checkRoot(_ name: String) throws(Mistake) {
        guard name != Self.oldNamespace + "metalink" else {
            throw Mistake(text: "it has version 3, but only version 4 (.meta4) is supported")
        }
        guard name == Self.namespace + "metalink" else { throw Mistake(text: "it is not a Metalink (RFC 5854)") }
    }

    private func add(hash value: String, _ file: inout MetalinkFile) throws(Mistake) {
        guard attributes["type"]?.lowercased() == "sha-256" else {
            file.hasOtherHashes = true
            return
        }
        guard let checksum = try? Checksum(parsing: "sha256:" + value) else {
            throw Mistake(text: "the SHA-256 of '\(file.name.redactedControls)' is invalid")
        }
        guard file.checksum == nil || file.checksum == checksum else { throw twice("SHA-256", file) }
        file.checksum = checksum
    }

    private static func size(_ text: String) -> Int64? {
        text.utf8.count <= 19 && text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }

    private func twice(_ what: String, _ file: MetalinkFile) -> Mistake {
        Mistake(text: "'\(file.name.redactedControls)' has two different \(what)")
    }
}

extension String {
    /// The text without surrounding XML white space.
    fileprivate var trimmingSpaces: String {
        let bytes = utf8.drop { $0 <= 32 }
        let end = bytes.lastIndex { $0 > 32 }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
