// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// A row to be submitted.
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
    /// Whether a member may send it again if nobody knows what became of it.
    package let isRepeatable: Bool
    /// As PostgreSQL reads it.
    let beginsAt: String?
    var key: String?
    let spec: FleetSpec
    var sealed: [UInt8]?

    /// - Parameters:
    ///   - whole: the specification.
    ///   - spec: the same, parted.
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
    /// Whether its requests may be sent again if nobody knows what became of them: the method says so, the request
    /// carries a key, or the protocol asks the server where it stands.
    fileprivate var isRepeatable: Bool {
        switch dialect?.name {
        // The request that creates a tus upload of nothing also completes it, and carries no key.
        case TusParameters.dialect: sources.first?.identity.size != 0
        // The request that creates the upload carries the whole file: until it is answered, it is a plain one.
        case ResumableParameters.dialect, nil:
            method == "PUT" || idempotencyKey != nil || headers["Idempotency-Key"] != nil
        default: true
        }
    }
}
