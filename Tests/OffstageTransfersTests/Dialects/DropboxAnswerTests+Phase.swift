// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

extension DropboxAnswerTests {
    /// The phases of a 60 MiB upload in which an answer can arrive. The comments name the answered request.
    enum Phase: CaseIterable {
        /// `files/upload` of 5 MiB.
        case upload
        case start
        /// 8 MiB from byte 0.
        case firstAppend
        /// 32 MiB from byte 8 MiB.
        case secondAppend
        /// 20 MiB from byte 40 MiB.
        case finish
        /// No bytes, from byte 60 MiB.
        case emptyFinish
        case metadata

        /// Bytes of the file.
        var size: Int64 { self == .upload ? 5 << 20 : 60 << 20 }

        var carriesBytes: Bool { self != .start && self != .metadata }
        var isFinish: Bool { self == .finish || self == .emptyFinish }
        var isAppend: Bool { self == .firstAppend || self == .secondAppend }

        /// From the bytes of the source that the server has acknowledged, up to those of which some were sent.
        var known: ClosedRange<Int64> {
            switch self {
            case .upload, .start: 0...0
            case .firstAppend: 0...8 << 20
            case .secondAppend: 8 << 20...40 << 20
            case .finish: 40 << 20...60 << 20
            case .emptyFinish, .metadata: 60 << 20...60 << 20
            }
        }

        func reach() throws -> (DropboxUpload, DropboxStep) {
            var upload = try DropboxBench.upload(size: size)
            var step = upload.step()
            func answer(_ answer: Answer) { step = upload.step(after: answer) }
            if self == .upload || self == .start { return (upload, step) }
            answer(DropboxBench.answer(200, #"{"session_id":"s1"}"#))
            if self == .firstAppend { return (upload, step) }
            answer(DropboxBench.answer(200, "null"))
            if self == .secondAppend { return (upload, step) }
            answer(DropboxBench.answer(200, "null"))
            if self == .finish { return (upload, step) }
            answer(Self.lookup(#"{".tag":"incorrect_offset","correct_offset":\#(60 << 20)}"#))
            if self == .emptyFinish { return (upload, step) }
            answer(Self.lookup(#"{".tag":"not_found"}"#))
            return (upload, step)
        }

        private static func lookup(_ error: String) -> Answer {
            DropboxBench.conflict(#"{".tag":"lookup_failed","lookup_failed":\#(error)}"#)
        }
    }
}
