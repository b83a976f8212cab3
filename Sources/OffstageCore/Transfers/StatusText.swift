// SPDX-License-Identifier: Apache-2.0

/// HTTP statuses for people.
package enum StatusText {
    /// A status with its reason phrase (RFC 9110, section 15), such as `404 Not Found`; the number alone for rare ones.
    package static func of(_ status: Int) -> String { phrase(status).map { "\(status) \($0)" } ?? "\(status)" }

    private static func phrase(_ status: Int) -> String? {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 423: "Locked"
        case 429: "Too Many Requests"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 507: "Insufficient Storage"
        default: nil
        }
    }
}
