// SPDX-License-Identifier: Apache-2.0

/// The encoding of a form (WHATWG HTML, "multipart/form-data encoding algorithm"; RFC 7578).
extension FormBody {
    /// The whole body: headers and values as bytes, files unchanged.
    package var body: RequestBody {
        var segments: [RequestBody.Segment] = []
        var text: [UInt8] = []
        for part in parts {
            text += "--\(boundary)\r\n".utf8
            Self.append(headOf: part, to: &text)
            switch part.content {
            case .value(let value):
                Self.append(value.utf8, to: &text, asNewline: "\r\n")
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

    private static func append(headOf part: Part, to text: inout [UInt8]) {
        text += "Content-Disposition: form-data; name=\"".utf8
        append(escaped: part.name, newlinesAsPairs: true, to: &text)
        text.append(UInt8(ascii: "\""))
        if let fileName = part.fileName {
            text += "; filename=\"".utf8
            append(escaped: fileName, newlinesAsPairs: false, to: &text)
            text.append(UInt8(ascii: "\""))
        }
        if let contentType = part.contentType { text += "\r\nContent-Type: \(contentType)".utf8 }
        text += "\r\n\r\n".utf8
    }

    /// Percent-encodes bytes that would end the quoted name or the line; everything else stays UTF-8. In names every
    /// CR, LF and CRLF becomes CRLF (`newlinesAsPairs`); in file names they stay as they are.
    private static func append(escaped name: String, newlinesAsPairs: Bool, to text: inout [UInt8]) {
        var normal: [UInt8] = []
        if newlinesAsPairs { append(name.utf8, to: &normal, asNewline: "\r\n") } else { normal += name.utf8 }
        for byte in normal {
            switch byte {
            case UInt8(ascii: "\""): text += "%22".utf8
            case UInt8(ascii: "\r"): text += "%0D".utf8
            case UInt8(ascii: "\n"): text += "%0A".utf8
            default: text.append(byte)
            }
        }
    }

    /// Appends text, with every CR, LF and CRLF replaced by one newline.
    private static func append(_ bytes: String.UTF8View, to text: inout [UInt8], asNewline newline: String) {
        var wasReturn = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\r"): text += newline.utf8
            case UInt8(ascii: "\n"): if !wasReturn { text += newline.utf8 }
            default: text.append(byte)
            }
            wasReturn = byte == UInt8(ascii: "\r")
        }
    }
}
