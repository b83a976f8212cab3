// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Labels that a member must have: `--on site=seoul`.
package enum FleetLabelArguments {
    /// - Throws: `UsageError` for an invalid label, or for too many.
    package static func parse(_ arguments: inout ArgumentCursor) throws(UsageError) -> FleetLabels {
        let words = arguments.takeValues("--on")
        if let word = words.first(where: { !FleetLabels.isLabel($0) }) {
            throw UsageError("'\(word)' is not a label such as site=seoul or member=nas-1")
        }
        guard let labels = FleetLabels(words, most: FleetLabels.mostOfRow) else {
            throw UsageError("--on names more than \(FleetLabels.mostOfRow) labels")
        }
        return labels
    }
}
