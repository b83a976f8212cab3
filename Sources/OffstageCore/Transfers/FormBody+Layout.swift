// SPDX-License-Identifier: Apache-2.0

/// How a form becomes bytes (WHATWG HTML, "multipart/form-data encoding algorithm"; RFC 7578).
extension FormBody {
    /// The whole body: heads and values as bytes, files as they are.
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

    /// What would end the quoted name, or the line, is percent-encoded; everything else is UTF-8 as it is.
    /// In names every CR, LF and CRLF is CRLF (`newlinesAsPairs`), in file names they stay as they are.
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

    /// Appends text with every CR, LF and CRLF in it as one newline.
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
