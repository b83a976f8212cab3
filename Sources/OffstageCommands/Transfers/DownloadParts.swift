// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The options for the bytes of a file to fetch, its other addresses, and the number of connections.
struct DownloadParts: Sendable, Equatable {
    static let options: [CommandOption] =
        [
            CommandOption(
                "--connections",
                value: "N",
                help: "up to N connections for each file, 1 to 16 (1, and more if worth it; from s3:// 8)"
            ),
            CommandOption("--range", "-r", value: "RANGE", help: "only these bytes: 0-499, 500- or -500"),
        ] + MirrorOptions.options

    /// How many connections one file may use; nil for the default.
    let connections: Int?
    /// The wanted bytes, as in a header.
    let range: String?
    let mirrors: MirrorOptions

    init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        mirrors = try MirrorOptions(&arguments)
        range = try arguments.takeValue("--range", "one range of bytes such as 0-499, 500- or -500", Self.range)
        let most = ConnectionOptions.mostConnections
        connections = try arguments.takeValue("--connections", "a number from 1 to \(most)") { text in
            Quantity.count(text).flatMap { (1...most).contains($0) ? $0 : nil }
        }
        guard range == nil || connections ?? 1 == 1 else {
            throw UsageError("--range is fetched over one connection: leave out --connections")
        }
    }

    /// `0-499`, `500-`, `-500`, and `500` for `500-`, as in curl; nil for anything else.
    private static func range(_ text: String) -> String? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count <= 2, ends.contains(where: { !$0.isEmpty }),
            ends.allSatisfy({ $0.utf8.count <= 18 && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        return ends.count == 1 ? "\(text)-" : text
    }

    func apply(to spec: inout TransferSpec) {
        if let range, spec.headers["Range"] == nil {
            spec.headers.append(HeaderField(name: "Range", value: "bytes=\(range)"))
        }
        let usual = spec.dialect == nil || range != nil ? nil : S3Object.usualConnections
        guard let connections = connections ?? usual else { return }
        var connection = spec.connection ?? ConnectionOptions()
        connection.connections = connections
        spec.connection = connection
    }
}
