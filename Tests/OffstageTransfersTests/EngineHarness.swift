// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// An engine with a directory for its files, and a log of all its events.
final class EngineHarness: Sendable {
    let directory: TemporaryDirectory
    let engine: CurlEngine
    private let log: Monitor<[EngineEvent]>
    private let lastID = Monitor<Int64>(0)

    init() throws {
        directory = try TemporaryDirectory()
        let log = Monitor<[EngineEvent]>([])
        self.log = log
        engine = try CurlEngine { events in log.withLock { $0 += events } }
    }

    deinit {
        engine.shutDown()
    }

    /// All events so far.
    var events: [EngineEvent] { log.withLock { $0 } }

    /// Waits for an event.
    func wait<Found>(
        _ what: String,
        within seconds: Double = 20,
        for probe: (EngineEvent) -> Found?
    ) throws -> Found {
        let found = log.wait(TimeLimit(seconds: seconds)) { $0.lazy.compactMap(probe).first }
        guard let found else { throw TestError("Waited \(seconds) s in vain: \(what). Events: \(events)") }
        return found
    }

    /// Begins a download to a new file, or to one that already holds the beginning.
    func download(
        _ url: String,
        partial: (bytes: ArraySlice<UInt8>, known: PartialDownload)? = nil,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun {
        let id = nextID()
        let path = directory.path("down-\(id)")
        try TestFiles.write(Array(partial?.bytes ?? []), to: path)
        let spec = TransferSpec(direction: .download(.init(path: path)), url: try RequestURL(url), owner: "test")
        return try start(id, spec, path: path, flags: O_RDWR) {
            $0.offset = Int64(partial?.bytes.count ?? 0)
            $0.partial = partial?.known
            change(&$0)
        }
    }

    /// Begins an upload of a file.
    func upload(
        _ path: String,
        to url: String,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system("\(path) is not there") }
        let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
        let spec = TransferSpec(direction: .upload(source), url: try RequestURL(url), owner: "test")
        return try start(nextID(), spec, path: path, flags: O_RDONLY, change)
    }

    /// A part of the form to send.
    enum FormPart {
        case field(String, String)
        /// A new file of random content.
        case file(bytes: Int)
    }

    /// Begins an upload of a form.
    func form(
        _ parts: [FormPart],
        to url: String,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun {
        let id = nextID()
        let form = FormBody(
            parts: try parts.enumerated().map { index, part in
                switch part {
                case .field(let name, let value): return .init(name: name, content: .value(value))
                case .file(let bytes):
                    let path = try makeFile("form-\(id)-\(index)", bytes: bytes, seed: UInt64(index))
                    var status = stat()
                    guard stat(path, &status) == 0 else { throw TestError.system("\(path) is not there") }
                    let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
                    return .init(name: "f", content: .file(source), fileName: "\(index).bin")
                }
            }
        )
        var spec = TransferSpec(direction: .form(form), url: try RequestURL(url), owner: "test")
        spec.setContentTypeOfForm()
        // As in the queue: the attempt owns no file.
        return try start(id, spec, path: "", flags: O_RDONLY, change)
    }

    /// Turns a request into one of a session's task.
    static func ofSession(_ request: inout EngineRequest) {
        request.spec.sessionTask = SessionTaskKey(session: "s", task: 1)
    }

    /// Creates a file of random content and returns its path.
    func makeFile(_ name: String, bytes: Int, seed: UInt64 = 1) throws -> String {
        try TestFiles.makeRandom(directory.path(name), bytes: bytes, seed: seed)
        return directory.path(name)
    }

    /// Creates a long file quickly. Its content repeats only every 1,000,003 bytes, so that a misplaced buffer shows.
    static func makeLongFile(_ path: String, bytes count: Int) throws {
        var generator = SeededGenerator(seed: 11)
        let block = generator.bytes(1_000_003)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw TestError.system("\(path) cannot be made") }
        defer { close(file) }
        var left = count
        while left > 0 {
            let piece = min(left, block.count)
            guard write(file, block, piece) == piece else { throw TestError.system("\(path) cannot be written") }
            left -= piece
        }
    }

    private func nextID() -> Int64 {
        lastID.withLock {
            $0 += 1
            return $0
        }
    }

    private func start(
        _ id: Int64,
        _ spec: TransferSpec,
        path: String,
        flags: Int32,
        _ change: (inout EngineRequest) -> Void
    ) throws -> EngineRun {
        let file = path.isEmpty ? -1 : open(path, flags | O_CLOEXEC)
        guard path.isEmpty || file >= 0 else { throw TestError.system("\(path) cannot be opened") }
        var request = EngineRequest(
            id: TransferID(rawValue: id),
            attempt: 1,
            spec: spec,
            fileDescriptor: file,
            filePath: path
        )
        change(&request)
        let run = EngineRun(harness: self, request: request)
        engine.start([request])
        return run
    }
}
