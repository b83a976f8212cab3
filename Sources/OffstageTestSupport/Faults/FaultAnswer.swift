// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How the fault server answers one request: a script, with the common ones ready-made in the extensions.
package struct FaultAnswer: Sendable {
    package let run: @Sendable (FaultExchange) throws -> Void

    /// - Parameter run: reads and sends anything; an error ends the connection.
    package init(_ run: @escaping @Sendable (FaultExchange) throws -> Void) {
        self.run = run
    }

    /// Reads the body and answers with a status.
    package static func status(_ status: Int, _ headers: [HeaderField] = [], body: String = "") -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            try $0.respond(status, headers, body: Array(body.utf8))
        }
    }

    /// Serves a file as a correct server does, including ranges, at `rate` bytes a second or as fast as possible.
    package static func file(_ file: FaultFile, rate: Int? = nil) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            let (status, headers, range) = file.answer(to: $0.request)
            try $0.sendHead(status, headers)
            if $0.request.method != "HEAD" { try $0.sendBody(file.bytes[range], rate: rate) }
        }
    }

    /// Serves so many bytes of a file, and the rest once the gate is open, at `rate` bytes a second or as fast as
    /// possible: for a transfer that stays active as long as a test needs.
    package static func file(
        _ file: FaultFile,
        holdingAfter count: Int,
        until gate: FaultGate,
        rate: Int? = nil
    ) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            let (status, headers, range) = file.answer(to: $0.request)
            try $0.sendHead(status, headers)
            let body = file.bytes[range]
            try $0.sendBody(body.prefix(count))
            try $0.wait(for: gate)
            try $0.sendBody(body.dropFirst(count), rate: rate)
        }
    }

    /// Waits for the gate before the other answer; the request's body is read first.
    package static func held(_ gate: FaultGate, then answer: FaultAnswer) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            try $0.wait(for: gate)
            try answer.run($0)
        }
    }

    /// 401 until the `Authorization` header has this value.
    package static func protected(_ authorization: String, then answer: FaultAnswer) -> FaultAnswer {
        FaultAnswer {
            if $0.request.headers["Authorization"] == authorization { return try answer.run($0) }
            try $0.readBody()
            let challenge = HeaderField(name: "WWW-Authenticate", value: "Bearer")
            try $0.respond(401, [challenge], body: Array("who are you?\n".utf8))
        }
    }

    /// A redirect.
    package static func redirect(to location: String, status: Int = 302) -> FaultAnswer {
        .status(status, [HeaderField(name: "Location", value: location)])
    }

    /// 503, 429 and the like, with `Retry-After` in seconds or as a date.
    package static func busy(_ status: Int = 503, retryAfter: String?) -> FaultAnswer {
        .status(status, retryAfter.map { [HeaderField(name: "Retry-After", value: $0)] } ?? [], body: "busy\n")
    }

    /// Reads the upload at so many bytes a second, then answers.
    package static func readsSlowly(_ bytesPerSecond: Int, status: Int = 201) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody(rate: bytesPerSecond)
            try $0.respond(status)
        }
    }

    /// Reads the upload up to each position and continues when its gate is open, then answers.
    package static func reads(heldAt holds: [(position: Int, gate: FaultGate)], status: Int = 201) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody(heldAt: holds)
            try $0.respond(status)
        }
    }

    /// Answers as soon as the head has arrived and closes without reading the body.
    package static func answersBeforeBody(_ status: Int) -> FaultAnswer {
        FaultAnswer {
            try $0.respond(status, [HeaderField(name: "Connection", value: "close")], body: Array("no need\n".utf8))
            $0.close()
        }
    }

    /// 417 to a request with `Expect`; reads and answers one without.
    package static func refusesExpectation(then status: Int = 201) -> FaultAnswer {
        FaultAnswer {
            if $0.expectsContinue { return try $0.respond(417) }
            try $0.readBody()
            try $0.respond(status)
        }
    }

    /// Answers as in HTTP/1.0: no length, the end of the connection ends the body.
    package static func untilClose(_ file: FaultFile) -> FaultAnswer {
        FaultAnswer {
            try $0.sendHead(200, file.validators, version: "HTTP/1.0")
            try $0.sendBody(file.bytes[...])
            $0.close()
        }
    }
}
