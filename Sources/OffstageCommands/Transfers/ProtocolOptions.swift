// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How a file is sent to a URL: in one request, or by a protocol in which the server reports where to continue.
package struct ProtocolOptions: Sendable, Equatable {
    /// The protocols over http.
    package enum Kind: String, Sendable, CaseIterable {
        /// Plain, and resumed if the server offers it.
        case auto
        case plain, resumable, tus
    }

    package static let options: [CommandOption] = [
        CommandOption(
            "--protocol",
            value: "PROTOCOL",
            kind: .words(Kind.allCases.map(\.rawValue)),
            help: "auto (plain, resumed if the server can), plain, resumable, or tus (URL: its endpoint)"
        ),
        CommandOption(
            "--metadata",
            value: "NAME=VALUE",
            help: "with tus, to s3:// or gs://: kept by the server with the file; repeatable"
        ),
        CommandOption("--chunk-size", value: "SIZE", help: "with tus: the most bytes of the file in one request"),
    ]

    package var kind = Kind.auto
    package var metadata: [MetadataEntry] = []
    /// Bytes; nil for the best number.
    package var largestChunk: Int64?

    package init() {}

    /// Whether the protocol defines the requests, rather than the owner.
    package var definesRequests: Bool { kind == .resumable || kind == .tus }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = Kind.allCases.map(\.rawValue).joined(separator: " or ")
        kind = try arguments.takeValue("--protocol", words) { Kind(rawValue: $0) } ?? .auto
        for text in arguments.takeValues("--metadata") {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw UsageError("--metadata takes NAME=VALUE, not '\(text.redactedControls)'")
            }
            metadata.append(MetadataEntry(String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        let smallest = TusParameters.smallestChunk
        largestChunk = try arguments.takeValue("--chunk-size", "a size of at least \(smallest >> 10)k, such as 8M") {
            Quantity.bytes($0).flatMap { $0 >= smallest ? $0 : nil }
        }
        guard kind == .tus || largestChunk == nil else {
            throw UsageError("--chunk-size is for uploads by tus: add --protocol tus")
        }
    }

    /// A file's upload by the protocol.
    ///
    /// - Parameters:
    ///   - spec: the specification from the other options.
    ///   - pair: the file, as named by the command line.
    /// - Returns: the transfer; nil for a plain upload.
    /// - Throws: `CommandFailure` for metadata that cannot be sent.
    package func spec(_ spec: TransferSpec, of pair: UploadList.Pair) throws(CommandFailure) -> TransferSpec? {
        switch kind {
        case .auto, .plain: return nil
        case .resumable:
            var spec = spec
            spec.dialect = ResumableParameters.dialectSpec(at: spec.url)
            return spec
        case .tus: return try tus(spec, of: pair)
        }
    }

    /// A file's upload by tus; the URL is the endpoint.
    private func tus(_ spec: TransferSpec, of pair: UploadList.Pair) throws(CommandFailure) -> TransferSpec {
        var parameters = TusParameters()
        parameters.metadata = metadata
        parameters.largestChunk = largestChunk
        let name = pair.path.pathParts.last ?? ""
        add("filename", name, to: &parameters)
        let type = spec.headers["Content-Type"] ?? GuessedContentType.ofFile(named: name, at: pair.path)
        add("filetype", type, to: &parameters)
        if let relative = pair.relativePath { add("relativePath", relative, to: &parameters) }
        var spec = spec
        spec.method = "POST"
        do throws(RequestError) {
            spec.dialect = try parameters.dialectSpec(at: spec.url)
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        return spec
    }

    private func add(_ name: String, _ value: String, to parameters: inout TusParameters) {
        guard !parameters.metadata.contains(where: { $0.name == name }) else { return }
        parameters.metadata.append(MetadataEntry(name, value))
    }
}
