// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A tus server's description of itself (OPTIONS), as far as it is relevant to uploads.
struct TusServer: Sendable, Equatable, Codable {
    /// The algorithm by which each request proves that its bytes arrived intact; nil if the server cannot check that.
    var checksum: SourceDigest.Algorithm?
    /// Whether uploads can be deleted; nil means no.
    var terminates: Bool?

    /// A server that has not described itself: only the core of the protocol is used.
    init() {}

    /// Why a server cannot be used.
    enum Problem: Error, Equatable {
        case version(String)
        case noCreation
        case tooLarge(Int64)
    }

    /// - Parameters:
    ///   - headers: the answer to OPTIONS.
    ///   - size: bytes of the file.
    /// - Throws: `Problem` if it cannot take the file.
    init(_ headers: [HeaderField], size: Int64) throws(Problem) {
        if let versions = headers["Tus-Version"] {
            guard Self.words(versions).contains(TusRequests.version) else { throw .version(versions) }
        }
        if let text = headers["Tus-Max-Size"], let most = Int64(digits: text), most > 0, most < size {
            throw .tooLarge(most)
        }
        guard let text = headers["Tus-Extension"] else { return }
        let extensions = Self.words(text)
        guard extensions.contains(where: { $0.hasPrefix("creation") }) else { throw .noCreation }
        if extensions.contains("termination") { terminates = true }
        guard extensions.contains("checksum") else { return }
        let algorithms = Self.words(headers["Tus-Checksum-Algorithm"] ?? "")
        checksum = [.sha256, .sha1, .md5].first { algorithms.contains($0.rawValue) }
    }

    /// The words of a list, in lower case.
    private static func words(_ text: String) -> [String] {
        text.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
    }
}
