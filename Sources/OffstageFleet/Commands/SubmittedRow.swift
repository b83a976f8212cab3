// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// A row to submit.
package struct SubmittedRow: Sendable {
    var queue = "default"
    let host: String
    var labels = FleetLabels.none
    /// 0 to 100.
    let priority: Int
    let label: String?
    let path: String
    /// Without secrets.
    let destination: String
    let bytes: Int64
    /// Whether a member may send the file again if the outcome is unknown.
    package let isRepeatable: Bool
    /// The earliest time to begin, in PostgreSQL's format.
    let beginsAt: String?
    var key: String?
    let spec: FleetSpec
    var sealed: [UInt8]?

    /// - Parameters:
    ///   - whole: the specification.
    ///   - spec: the same, with its secrets separated.
    package init(_ whole: TransferSpec, _ spec: FleetSpec) {
        host = whole.url.host
        priority = Int(nearest: whole.priority * 100)  // checked: floating point
        label = whole.label
        path = whole.path
        destination = FleetText(whole.destination, longest: 8000).description
        bytes = whole.sources.first?.identity.size ?? 0
        isRepeatable = whole.isRepeatable
        beginsAt = whole.earliestBegin.map { Date.ISO8601FormatStyle(includingFractionalSeconds: true).format($0) }
        self.spec = spec
    }
}

extension TransferSpec {
    /// Whether its requests may be repeated if their outcome is unknown: because of the method, because the request has
    /// an idempotency key, or because the protocol queries the server for its progress.
    fileprivate var isRepeatable: Bool {
        switch dialect?.name {
        // The request that creates an empty tus upload also completes it, and has no key.
        case TusParameters.dialect: sources.first?.identity.size != 0
        // The request that creates the upload contains the whole file. Until it is answered, it is a plain upload.
        case ResumableParameters.dialect, nil:
            method == "PUT" || idempotencyKey != nil || headers["Idempotency-Key"] != nil
        default: true
        }
    }
}
