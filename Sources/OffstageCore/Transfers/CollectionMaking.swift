// SPDX-License-Identifier: Apache-2.0

/// Makes the folders that an upload's server lacks (MKCOL, RFC 4918, section 9.3): decides which folder is next, and
/// interprets the server's answers.
///
/// The innermost folder comes first, since it is usually the only one missing. If the server requires its parent, the
/// parent is made before it. No folder outside those that `TransferSpec.collections` counts is ever made.
package struct CollectionMaking: Sendable, Equatable {
    package enum Step: Sendable, Equatable {
        /// Ask for this folder.
        case make(RequestURL)
        /// All folders exist: send the file once more.
        case sendAgain
        /// The transfer's answer.
        case finish(Answer)
        case fail(TransferFailure)
    }

    /// The parents of the current folder, outermost first.
    private var around: [RequestURL]
    /// The folders within it, outermost last.
    private var within: [RequestURL] = []
    private var folder: RequestURL
    /// Whether one folder exists, so that the folders within it are made from now on.
    private var goesInward = false
    /// The server's answer to the file.
    private let refusal: Answer

    /// Nil if the answer does not point to a missing folder, or none may be made.
    ///
    /// - Parameters:
    ///   - spec: an upload.
    ///   - refusal: its server's answer to the file.
    package init?(_ spec: TransferSpec, refusal: Answer) {
        guard Self.mayMean(refusal.status) else { return nil }
        around = Self.folders(of: spec.url, count: spec.collections ?? 0)
        guard let innermost = around.popLast() else { return nil }
        folder = innermost
        self.refusal = refusal
    }

    /// Whether servers answer with this status if a file's folder is missing: 409 according to RFC 4918, section 9.7.1;
    /// 404; and 500 from nginx.
    private static func mayMean(_ status: Int) -> Bool { [404, 409, 500].contains(status) }

    /// The first step.
    package var first: Step { .make(folder) }

    /// Handles the answer to the last MKCOL.
    package mutating func answered(_ answer: Answer) -> Step {
        switch answer.status {
        // 405: something of that name exists (section 9.3.1).
        case 200..<300, 405:
            goesInward = true
            guard let next = within.popLast() else { return .sendAgain }
            folder = next
            return .make(next)
        case 404, 409:
            guard !goesInward, let next = around.popLast() else { return withoutPlace(answer.status) }
            within.append(folder)
            folder = next
            return .make(next)
        // No WebDAV: the answer to the file itself is more informative.
        case 501: return .finish(refusal)
        // A status that may be temporary, or that asks for credentials, is treated as for the file.
        case 401, 408, 429, 500...: return .finish(answer)
        case 300..<400:
            return .fail(
                .init(.httpStatus, "the server redirects the request to create \(folder): use the URL it redirects to")
            )
        default:
            let words = StatusText.of(answer.status)
            return .fail(
                .init(.httpStatus, "the server answered \(words) to the request to create the folder \(folder)")
            )
        }
    }

    /// Decides what to do if the outermost folder cannot be made.
    private func withoutPlace(_ status: Int) -> Step {
        // 404: the server knows neither the file nor the folder, so another request is useless.
        guard status == 409 else { return .finish(refusal) }
        // The parent of the folder, if it has one: the root cannot be made.
        let missing =
            Self.folders(of: folder, count: 2).dropLast().last.map { "create \($0) first" }
            ?? "create it in another way"
        return .fail(
            .init(.httpStatus, "the server has no folder to create \(folder) in: \(missing), or use another URL")
        )
    }

    /// The folders at the end of a URL's path, outermost first, each with a trailing slash. The query is kept, because
    /// it may grant access.
    private static func folders(of url: RequestURL, count: Int) -> [RequestURL] {
        guard count > 0, let scheme = url.unredacted.firstRange(of: "://") else { return [] }
        let text = url.unredacted
        // checked: indices of this very text, in order
        let end = text[scheme.upperBound...].firstIndex(of: "?") ?? text.endIndex
        guard let root = text[scheme.upperBound..<end].firstSlash else { return [] }
        var folders: [Substring] = []
        for slash in text[root..<end].indices.dropFirst() where text[slash] == "/" {
            let folder = text[...slash]
            if !folder.hasSuffix("//") { folders.append(folder) }
        }
        let query = String(text[end...])
        return folders.suffix(count).compactMap { folder in try? RequestURL(String(folder) + query) }
    }
}
