// SPDX-License-Identifier: Apache-2.0

/// The state of a file's addresses, for people.
extension MirrorList {
    /// States which address is used and why others were left.
    ///
    /// - Parameter delivering: the addresses that deliver pieces alongside the one in use: their earlier failures no
    ///   longer matter.
    /// - Returns: words for people; nil if the first one is used and none was left.
    package func standing(beside delivering: Set<Int> = []) -> String? {
        let left = addresses.indices.filter {
            $0 != current && addresses[$0].trouble != nil && !delivering.contains($0)
        }
        guard !left.isEmpty else { return nil }
        // checked: an index of a short list
        return "address \(current + 1) of \(addresses.count) is used; left: \(words(of: left))"
    }

    /// The failure of a transfer whose file no address has delivered.
    ///
    /// - Parameter last: the failure of the last address.
    /// - Returns: the same kind of failure, with the problem at each address.
    func failure(_ last: TransferFailure) -> TransferFailure {
        guard addresses.count > 1 else { return last }
        var failure = last
        failure.detail =
            "none of the \(addresses.count) addresses gave the file: \(words(of: Array(addresses.indices)))"
        failure.retryAfter = nil
        // The advice for one status would be wrong if the others answered differently.
        if addresses.contains(where: { $0.trouble?.failure.status != last.status }) { failure.status = nil }
        return failure
    }

    /// The most addresses that a sentence names.
    private static let mostNamed = 4
    /// Bytes of the longest text about one address.
    private static let longestWords = 300

    private func words(of indices: [Int]) -> String {
        let named = indices.prefix(Self.mostNamed).map { index in
            let (url, trouble) = (addresses[index].url, addresses[index].trouble)
            return "\(url) (\(Self.shortened(trouble?.failure.detail ?? "not tried")))"
        }
        let more = indices.count - named.count  // checked: a prefix is not longer
        return named.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestWords else { return text }
        return String(decoding: text.utf8.prefix(longestWords), as: UTF8.self) + "…"
    }
}
