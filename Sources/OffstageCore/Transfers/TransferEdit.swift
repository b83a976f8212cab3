// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A person's changes to a transfer that was handed over (`offstage change`); nil leaves a value as it is.
package struct TransferEdit: Sendable, Equatable, Codable {
    /// From 0 to 1.
    package var priority: Double?
    package var label: String?
    package var earliestBegin: Date?
    package var url: RequestURL?
    /// The file that a download makes: an absolute path.
    package var path: String?
    /// Whether a person is notified of it on the desktop.
    package var notify: Bool?

    package init() {}

    /// Whether the edit changes more than a transfer under way allows.
    package var needsStandstill: Bool { earliestBegin != nil || url != nil || path != nil }

    /// Why the edit is refused, as the end of "Transfer 7 …"; nil if it is allowed.
    package func refusal(by transfer: Transfer) -> String? {
        let (spec, state) = (transfer.spec, transfer.state)
        if transfer.isUnreadable { return "cannot be changed: its record in the store cannot be read" }
        switch state {
        case .finished(.completed, _): return "is complete: hand it over again to send or fetch it in another way"
        case .finished where earliestBegin != nil:
            return "has ended: 'offstage retry \(transfer.id)' restarts it at once"
        case .running where needsStandstill, .saving where needsStandstill:
            return
                "is under way: use 'offstage pause \(transfer.id)' first, then change it and use 'offstage resume \(transfer.id)'"
        default: break
        }
        if notify != nil, spec.sessionTask != nil { return "is a task of \(spec.owner): only the app can notify of it" }
        guard needsStandstill else { return nil }
        if spec.sessionTask != nil { return "is a task of \(spec.owner): only the app can change it" }
        if url != nil, let mirrors = spec.mirrors, mirrors.addresses.count > 1 {
            return "has \(mirrors.addresses.count) addresses: cancel it, and hand it over again with others"
        }
        if url != nil, let dialect = spec.dialect {
            return spec.isUpload
                ? "goes to \(dialect.destination): cancel it, and upload the file to another place"
                : "comes from \(dialect.destination): cancel it, and download from another place"
        }
        guard let path else { return nil }
        if spec.isUpload { return "is an upload: --output is for downloads, --url says where an upload goes" }
        if transfer.bytesDone > 0 || transfer.partialFile != nil, path.directory != spec.path.directory {
            let here = spec.path.directory
            return "has part of its file in \(here): it can be renamed there, but not moved to another directory"
        }
        return nil
    }
}
