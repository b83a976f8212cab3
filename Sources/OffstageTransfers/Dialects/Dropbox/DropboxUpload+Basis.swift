// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension DropboxUpload {
    /// The part of an upload that is the same in every attempt: its specification.
    package struct Basis: Sendable {
        let parameters: DropboxParameters
        let source: TransferSpec.UploadSource
        let requests: DropboxRequests
        /// Whether the owner limits the upload's speed.
        let isRateLimited: Bool

        package init(_ spec: TransferSpec) throws(RequestError) {
            guard let dialect = spec.dialect, case .upload(let source) = spec.direction else {
                throw .invalidValue("Dropbox accepts one file at a time: hand over each one separately")
            }
            guard source.identity.size <= DropboxUpload.largestFile else {
                throw .invalidValue(
                    "Dropbox accepts no file of more than \(DropboxUpload.largestFile) bytes: send it in parts"
                )
            }
            self.source = source
            isRateLimited = spec.rateLimit != nil
            parameters = try DropboxParameters(dialect)
            requests = try DropboxRequests(parameters, source: source, headers: spec.headers)
        }
    }
}
