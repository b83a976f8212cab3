// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Answers that no correct server gives.
extension FaultAnswer {
    /// Closes once the request's head has arrived.
    package static let closes = FaultAnswer { $0.close() }

    /// Resets the connection once the request's head has arrived.
    package static let resets = FaultAnswer { $0.reset() }

    /// Never answers.
    package static let stalls = FaultAnswer { $0.stall() }

    /// Sends bytes that are not HTTP.
    package static let garbage = FaultAnswer {
        try $0.send("\u{0}\u{1}%$ what is this?\n\n\u{7F}\u{7}\n")
        $0.close()
    }

    /// Sends header after header, until the peer gives up.
    package static let endlessHeaders = FaultAnswer {
        try $0.send("HTTP/1.1 200 OK\r\n")
        var number = 0
        while true {
            try $0.send("X-Filler-\(number): \(String(repeating: "a", count: 1000))\r\n")
            number += 1
        }
    }

    /// Sends a body without length or end.
    package static let endlessBody = FaultAnswer {
        try $0.sendHead(200)
        let piece = [UInt8](repeating: 0x2E, count: 65_536)
        while true { try $0.sendBody(piece[...]) }
    }

    /// Sends the first bytes of a file's body, then nothing more, and keeps the connection open.
    package static func stallsInBody(_ file: FaultFile, after count: Int) -> FaultAnswer {
        FaultAnswer {
            let (status, headers, range) = file.answer(to: $0.request)
            try $0.sendHead(status, headers)
            try $0.sendBody(file.bytes[range].prefix(count))
            $0.stall()
        }
    }

    /// Serves the file but ends the connection after so many bytes of the body: with RST, or with FIN.
    package static func cut(_ file: FaultFile, after count: Int, reset: Bool = false) -> FaultAnswer {
        FaultAnswer {
            let (status, headers, range) = file.answer(to: $0.request)
            try $0.sendHead(status, headers)
            try $0.sendBody(file.bytes[range].prefix(count))
            if reset { $0.reset() } else { $0.close() }
        }
    }

    /// Reads so many bytes of the upload and breaks the connection.
    package static func cutsUpload(after count: Int, reset: Bool = true) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody(stopAt: count)
            if reset { $0.reset() } else { $0.close() }
        }
    }

    /// States a wrong length for the body, and closes.
    package static func liesAboutLength(_ file: FaultFile, stated: Int) -> FaultAnswer {
        FaultAnswer {
            try $0.sendHead(200, file.validators + [HeaderField(name: "Content-Length", value: "\(stated)")])
            try $0.sendBody(file.bytes[...])
            $0.close()
        }
    }

    /// 206 with the given `Content-Range`, or without one, whatever the request.
    package static func partial(contentRange: String?, body: [UInt8], etag: String? = "\"one\"") -> FaultAnswer {
        FaultAnswer {
            var headers = contentRange.map { [HeaderField(name: "Content-Range", value: $0)] } ?? []
            if let etag { headers.append(HeaderField(name: "ETag", value: etag)) }
            try $0.respond(206, headers, body: body)
        }
    }

    /// 416 to a request with a range; the whole file to one without.
    package static func rangeNotSatisfiable(_ file: FaultFile) -> FaultAnswer {
        FaultAnswer {
            if $0.request.rangeStart != nil {
                return try $0.respond(416, [HeaderField(name: "Content-Range", value: "bytes */\(file.bytes.count)")])
            }
            try FaultAnswer.file(file).run($0)
        }
    }
}
