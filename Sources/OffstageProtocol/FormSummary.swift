// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The summary of a form for lists.
package struct FormSummary: Codable, Sendable, Equatable {
    package var files: Int
    package var fields: Int

    package init(files: Int, fields: Int) {
        self.files = files
        self.fields = fields
    }

    /// Nil for any upload or download that is not a form.
    package init?(_ spec: TransferSpec) {
        guard case .form(let form) = spec.direction else { return nil }
        let files = form.sources.count
        self.init(files: files, fields: form.parts.count - files)
    }
}
