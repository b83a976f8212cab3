// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A server that reads forms with a Python parser and a Perl parser (scripts/lib/form_receiver.py), for the lifetime of
/// the object.
final class FormReceiver: Sendable {
    /// A part as both parsers found it.
    struct Part: Equatable, CustomStringConvertible {
        var name: String
        var fileName: String?
        var contentType: String?
        var bytes: Int
        var sha256: String

        var description: String { "\(name) \(fileName ?? "-") \(contentType ?? "-") \(bytes) \(sha256.prefix(8))" }
    }

    static let reason = "needs Python's multipart and Perl's HTTP::MultiPartParser"

    private static let script =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/scripts/lib/form_receiver.py"

    /// Whether both parsers are available.
    static let isThere: Bool = {
        let result = try? ChildProcess.run("/usr/bin/env", ["python3", script, "--check"], within: 120)
        return result?.isSuccess == true
    }()

    private let process: ChildProcess
    private let port: Int

    init() throws {
        process = try ChildProcess("/usr/bin/env", ["python3", Self.script])
        port = try process.line { Int($0) }
    }

    deinit { process.killGroup(SIGKILL) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The report on the first form received for a path.
    func form(_ path: String) throws -> JSONValue {
        try process.line { line in
            guard let form = try? JSONValue(parsing: line), form.path.string == path else { return nil }
            return form
        }
    }

    /// The parts of the first form received for a path, on which both parsers agree.
    func parts(_ path: String) throws -> [Part] {
        let form = try form(path)
        guard form.agree.bool == true else { throw TestError("The parsers do not agree: \(form)") }
        return form.python.array.map { part in
            Part(
                name: part.name.string ?? "",
                fileName: part.fileName.string,
                contentType: part.contentType.string,
                bytes: part.bytes.integer ?? -1,
                sha256: part.sha256.string ?? ""
            )
        }
    }
}

extension FormReceiver.Part {
    /// A part with this content.
    init(_ name: String, _ bytes: [UInt8], fileName: String? = nil, contentType: String? = nil) throws {
        self.init(
            name: name,
            fileName: fileName,
            contentType: contentType,
            bytes: bytes.count,
            sha256: try TestFiles.sha256(of: bytes)
        )
    }

    init(_ name: String, _ text: String, fileName: String? = nil, contentType: String? = nil) throws {
        try self.init(name, Array(text.utf8), fileName: fileName, contentType: contentType)
    }
}
