// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// The value of a `Location` field (RFC 9110, section 10.2.2), as libcurl reads it.
enum LocationField {
    /// The URL that it names.
    ///
    /// - Parameters:
    ///   - text: the value, absolute or relative.
    ///   - base: the URL of the request.
    /// - Returns: nil if it is not an http or https URL.
    static func url(_ text: String, relativeTo base: RequestURL) -> RequestURL? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, base.unredacted, 0) == CURLUE_OK,
            curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)) == CURLUE_OK
        else { return nil }
        var result: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, CURLUPART_URL, &result, 0) == CURLUE_OK, let result else { return nil }
        defer { curl_free(result) }
        return try? RequestURL(String(cString: result))
    }
}
