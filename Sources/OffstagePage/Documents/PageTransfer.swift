// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
package import OffstageProtocol

/// A transfer on the page: its `offstage list --json` output, and the parts of its reason for translation.
package struct PageTransfer: Encodable {
    private let row: TransferRow

    package init(_ row: TransferRow) { self.row = row }

    private enum CodingKeys: String, CodingKey {
        case name, path, label, why
    }

    package func encode(to encoder: any Encoder) throws {
        try TransferDocument(row).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Characters that change the writing direction would make a name look different from the file's real one.
        try container.encode(row.fileName.redactedControls, forKey: .name)
        if !row.path.isEmpty { try container.encode(row.path.redactedControls, forKey: .path) }
        if let label = row.label { try container.encode(label.redactedControls, forKey: .label) }
        try container.encode(row.reason.parts, forKey: .why)
    }
}

extension Reason {
    /// The values in the summary's sentence, by name.
    var parts: [String: String] {
        switch cause {
        case .running, .saving, .earliestBegin, .paused, .leftOut, .cancelled, .released: [:]
        case .inLine(let ahead): ["count": "\(ahead)"]
        case .hostLimit(let host, let running, let limit):
            ["host": host, "count": "\(running)", "limit": "\(limit)"]
        case .fleetLimit(_, let running, let limit): ["count": "\(running)", "limit": "\(limit)"]
        case .keeper: ["detail": summary]
        case .heldByFleet(let fleet, let hold): ["detail": hold.summary(of: fleet)]
        case .totalLimit(let running, let limit): ["count": "\(running)", "limit": "\(limit)"]
        case .network(let problem): ["detail": problem.summary]
        case .held(let hold): ["detail": hold.summary]
        case .retry(let failure, let attempts): ["count": "\(attempts)", "detail": failure.detail]
        case .predecessor(let one, let others):
            ["id": "\(one.id)", "count": "\(others)", "end": one.end.map { "\($0)" } ?? ""]
        case .credentials(let host): ["host": host]
        case .account(let failure), .failed(let failure): ["detail": failure.detail]
        case .appDecides(let app, let question):
            switch question {
            case .challenge(let challenge): ["app": app, "host": challenge.host]
            case .willBeginDelayedRequest: ["app": app]
            }
        case .suspected(let crashes), .setAside(let crashes), .unreadable(let crashes): ["count": "\(crashes)"]
        case .storeTrouble(let detail): ["detail": detail]
        case .fileSystem: ["detail": summary]
        case .completed(let status): ["status": "\(status)"]
        }
    }
}
