// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

extension Transfer {
    /// The server's `Last-Modified` of a download that is being saved, in seconds since 1970; nil if there is none.
    var modificationAtSource: Int? {
        guard case .saving(let answer, _) = state, let text = answer.headers["Last-Modified"] else { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds >= 0 ? seconds : nil
    }
}
