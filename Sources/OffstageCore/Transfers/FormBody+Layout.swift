// SPDX-License-Identifier: Apache-2.0

/// How a form becomes bytes (WHATWG HTML, "multipart/form-data encoding algorithm"; RFC 7578).
extension FormBody {
    /// The whole body: heads and values as bytes, files as they are.
    package var body: RequestBody {
        var segments: [RequestBody.Segment] = []
        var text: [UInt8] = []
        for part in parts {
            text += "--\(boundary)\r\n\(Self.head(of: part))\r\n".utf8
            switch part.content {
            case .value(let value):
                text += Self.withNetworkNewlines(value).utf8
            case .file(let source):
                segments.append(.bytes(text))
                text = []
                segments.append(.file(.init(source, count: source.identity.size)))
            }
            text += "\r\n".utf8
        }
        text += "--\(boundary)--\r\n".utf8
        segments.append(.bytes(text))
        return RequestBody(segments)
    }

    private static func head(of part: Part) -> String {
        var head = "Content-Disposition: form-data; name=\"\(escaped(withNetworkNewlines(part.name)))\""
        if let fileName = part.fileName { head += "; filename=\"\(escaped(fileName))\"" }
        head += "\r\n"
        if let contentType = part.contentType { head += "Content-Type: \(contentType)\r\n" }
        return head
    }

    /// What would end the quoted name, or the line, is percent-encoded; everything else is UTF-8 as it is.
    static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Every CR, LF and CRLF as CRLF.
    static func withNetworkNewlines(_ text: String) -> String {
        var result = ""
        var wasReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": result += "\r\n"
            case "\n": if !wasReturn { result += "\r\n" }
            default: result.unicodeScalars.append(scalar)
            }
            wasReturn = scalar == "\r"
        }
        return result
    }
}
