// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// A status's reason phrase with a space before it; empty for rare statuses.
    package static func phrase(_ status: Int) -> String {
        switch status {
        case 400: " Bad Request"
        case 401: " Unauthorized"
        case 403: " Forbidden"
        case 404: " Not Found"
        case 405: " Method Not Allowed"
        case 407: " Proxy Authentication Required"
        case 408: " Request Timeout"
        case 409: " Conflict"
        case 411: " Length Required"
        case 413: " Content Too Large"
        case 415: " Unsupported Media Type"
        case 416: " Range Not Satisfiable"
        case 423: " Locked"
        case 429: " Too Many Requests"
        case 451: " Unavailable For Legal Reasons"
        case 500: " Internal Server Error"
        case 501: " Not Implemented"
        case 502: " Bad Gateway"
        case 503: " Service Unavailable"
        case 504: " Gateway Timeout"
        case 507: " Insufficient Storage"
        default: ""
        }
    }
}

extension TransferSpec {
    /// Who gave an answer: a proxy asks for its password itself.
    func answerer(_ status: Int) -> String {
        guard status == 407, let proxy = proxy.proxy(for: url).flatMap(ProxyAddress.init) else { return "the server" }
        return "the proxy \(proxy.hostKey)"
    }
}
