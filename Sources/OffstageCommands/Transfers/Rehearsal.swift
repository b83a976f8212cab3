// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What `--dry-run` prints: what would be handed over, without secrets.
package struct Rehearsal {
    private let specs: [TransferSpec]

    package init(_ specs: [TransferSpec]) { self.specs = specs }

    /// A line for each transfer, and one for all.
    package var lines: [String] {
        let lines = specs.map { spec in
            let bytes = spec.body.map { " (\(Format.bytes($0.count)))" } ?? ""
            return spec.isUpload
                ? "Would send \(Self.what(spec))\(bytes) to \(spec.destination)"
                : "Would fetch \(spec.destination) to \(spec.path)"
        }
        let sizes = specs.compactMap { $0.body?.count }
        let total = sizes.reduce(Int64(0)) { $0.addingReportingOverflow($1).partialValue }
        let all = sizes.isEmpty ? "" : ", \(Format.bytes(total))"
        return lines.map(\.redactedControls)
            + ["\(Format.count(specs.count, "transfer"))\(all): nothing was handed over."]
    }

    package var document: Document {
        Document(
            transfers: specs.map { spec in
                .init(
                    direction: spec.isUpload ? "upload" : "download",
                    url: spec.destination,
                    path: spec.path.isEmpty ? nil : spec.path,
                    bytesTotal: spec.body?.count
                )
            }
        )
    }

    private static func what(_ spec: TransferSpec) -> String {
        guard case .form(let form) = spec.direction else { return spec.path }
        let files = form.sources.count
        // checked: each file is a part
        return "a form with \(Format.count(form.parts.count - files, "field")) and \(Format.count(files, "file"))"
    }

    /// In `--json` output (docs/json.md).
    package struct Document: Encodable {
        package struct Transfer: Encodable {
            package let direction: String
            package let url: String
            /// Left out for a form without files.
            package let path: String?
            /// Left out for a download.
            package let bytesTotal: Int64?
        }

        package let transfers: [Transfer]
    }
}
