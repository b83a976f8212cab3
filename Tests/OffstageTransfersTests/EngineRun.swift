// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers

/// One attempt that a test has started, with ways to wait for its outcome.
final class EngineRun: Sendable {
    struct End: Sendable {
        var result: AttemptResult
        var reached: Int64

        var answer: Answer? { if case .answered(let answer) = result { answer } else { nil } }
        var failure: TransferFailure? { if case .failed(let failure) = result { failure } else { nil } }
        var challenge: Challenge? { if case .challenged(let challenge) = result { challenge } else { nil } }
    }

    let harness: EngineHarness
    let request: EngineRequest

    init(harness: EngineHarness, request: EngineRequest) {
        self.harness = harness
        self.request = request
    }

    deinit {
        if request.fileDescriptor >= 0 { close(request.fileDescriptor) }
    }

    var id: TransferID { request.id }

    /// The attempt's events so far, except progress.
    var events: [EngineEvent] {
        harness.events.filter { event in
            switch event {
            case .receiving(let key, _, _, _), .ended(let key, _, _), .released(let key), .naming(let key, _),
                .interim(let key, _), .divisible(let key, _, _), .answeredBeside(let key, _):
                key == request.key
            case .progress, .firstByte: false
            }
        }
    }

    /// The reported progress, in order.
    var progress: [EngineProgress] {
        harness.events.flatMap { event -> [EngineProgress] in
            if case .progress(let list) = event { list.filter { $0.id == request.id } } else { [] }
        }
    }

    /// Waits for the end.
    func end(within seconds: Double = 20) throws -> End {
        try harness.wait("the end of attempt \(id)", within: seconds) { event in
            guard case .ended(request.key, let result, let reached) = event else { return nil }
            return End(result: result, reached: reached)
        }
    }

    /// Waits until progress beyond a byte is reported.
    @discardableResult
    func waitForProgress(beyond byte: Int64, within seconds: Double = 20) throws -> EngineProgress {
        try harness.wait("progress of \(id) beyond \(byte)", within: seconds) { event in
            guard case .progress(let list) = event else { return nil }
            return list.first { $0.id == request.id && $0.bytesDone > byte }
        }
    }

    func stop() {
        harness.engine.stop(request.key)
    }

    /// Waits until the file descriptor belongs to the caller again after `stop`.
    func waitForRelease() throws {
        _ = try harness.wait("the release of \(id)") { event in
            if case .released(request.key) = event { true } else { nil }
        }
    }

    /// The bytes of the sent form, assembled without the code under test.
    func formBody() throws -> [UInt8] {
        guard case .form(let form) = request.spec.direction else { throw TestError("No form is sent.") }
        var body: [UInt8] = []
        for part in form.parts {
            body += "--\(form.boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8
            if let fileName = part.fileName { body += "; filename=\"\(fileName)\"".utf8 }
            body += "\r\n\r\n".utf8
            switch part.content {
            case .value(let value): body += value.utf8
            case .file(let source): body += try TestFiles.read(source.path)
            }
            body += "\r\n".utf8
        }
        return body + Array("--\(form.boundary)--\r\n".utf8)
    }

    /// The content of the file.
    func content() throws -> [UInt8] { try TestFiles.read(request.filePath) }
}
