// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension TransferSpec {
    /// The same specification, with the current SHA-256 of the file to send.
    func withDigestOfSource() throws(CommandFailure) -> TransferSpec {
        guard case .upload(let source) = direction else { return self }
        let found = try FileDigester.digests(of: source.path, in: [nil])
        guard found.identity == source.identity, let digest = found.digests.first,
            let checksum = try? Checksum(parsing: "sha256:" + digest.sha256)
        else {
            throw CommandFailure("The file \(source.path.redactedControls) changed while it was read: try again.")
        }
        var spec = self
        spec.digest = .known(checksum)
        return spec
    }
}
