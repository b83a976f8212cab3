// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The output of `--dry-run`: the transfers that would be handed over, without secrets.
package struct Rehearsal {
    private let specs: [TransferSpec]
    private let now: Date

    package init(_ specs: [TransferSpec], now: Date) { (self.specs, self.now) = (specs, now) }

    /// A line for each transfer, and one for all.
    package var lines: [String] {
        let lines = specs.map { spec in
            let bytes = spec.body.map { " (\(Format.bytes($0.count)))" } ?? ""
            let what =
                spec.isUpload
                ? "Would send \(Self.what(spec))\(bytes) to \(spec.destination)"
                : "Would fetch \(spec.destination) to \(spec.path)"
            return ([what] + terms(spec)).joined(separator: ", ")
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
                    bytesTotal: spec.body?.count,
                    earliestBegin: spec.earliestBegin,
                    after: spec.predecessors.isEmpty ? nil : spec.predecessors.map(\.rawValue),
                    rateLimit: spec.rateLimit,
                    checksum: Self.checksum(spec)
                )
            }
        )
    }

    /// When and how the transfer would run.
    private func terms(_ spec: TransferSpec) -> [String] {
        var terms: [String] = []
        // Always with the day, as '7:05' may be tomorrow's.
        if let begin = spec.earliestBegin, begin > now { terms.append("not before \(Format.fullTime(begin))") }
        if !spec.predecessors.isEmpty {
            let noun = spec.predecessors.count == 1 ? "transfer" : "transfers"
            terms.append("after \(noun) \(Submission.spans(spec.predecessors))")
        }
        terms += spec.needs.summary
        if let limit = spec.rateLimit { terms.append("at most \(Format.rate(Double(limit)))") }
        let mirrors = (spec.mirrors?.addresses.count ?? 1).subtractingClamped(1)
        if mirrors > 0 { terms.append("with \(Format.count(mirrors, "mirror"))") }
        if let checksum = Self.checksum(spec) { terms.append("only if it is \(checksum)") }
        return terms
    }

    private static func checksum(_ spec: TransferSpec) -> String? {
        if case .download(let target) = spec.direction { target.checksum?.description } else { nil }
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
            // Each is left out if none was given.
            package let earliestBegin: Date?
            package let after: [Int64]?
            package let rateLimit: Int64?
            package let checksum: String?
        }

        package let transfers: [Transfer]
    }
}
