// SPDX-License-Identifier: Apache-2.0
import Offstage
import Testing

@Suite struct DelegateCallsTests {
    private typealias Call = DelegateCalls.Call
    private typealias Standing = DelegateCalls.Standing
    private typealias Ending = DelegateCalls.Ending

    // MARK: - Progress

    @Test func `an upload's progress counts what was sent since the last call`() {
        let standing = Standing(isUpload: true, reported: 10)
        #expect(
            DelegateCalls.progress(standing, done: 30, total: 100, offset: 0)
                == [.sent(bytes: 20, total: 30, expected: 100)]
        )
    }

    @Test func `an upload that began anew counts from its beginning`() {
        let standing = Standing(isUpload: true, reported: 80)
        #expect(
            DelegateCalls.progress(standing, done: 30, total: 100, offset: 0)
                == [.sent(bytes: 30, total: 30, expected: 100)]
        )
    }

    @Test func `a download without a length expects an unknown size`() {
        #expect(
            DelegateCalls.progress(Standing(isUpload: false), done: 5, total: nil, offset: 0)
                == [.wrote(bytes: 5, total: 5, expected: -1)]
        )
    }

    @Test func `a download that fell back counts from where it goes on`() {
        let standing = Standing(isUpload: false, reported: 80)
        #expect(
            DelegateCalls.progress(standing, done: 60, total: 100, offset: 50)
                == [.wrote(bytes: 10, total: 60, expected: 100)]
        )
    }

    @Test func `a resumed download first tells from where, and then only what is new`() {
        let standing = Standing(isUpload: false, owesResumed: true)
        #expect(
            DelegateCalls.progress(standing, done: 60, total: 100, offset: 50)
                == [.resumed(offset: 50, expected: 100), .wrote(bytes: 10, total: 60, expected: 100)]
        )
    }

    @Test func `resume data that did not help is not spoken of`() {
        let standing = Standing(isUpload: false, owesResumed: true)
        #expect(
            DelegateCalls.progress(standing, done: 60, total: 100, offset: 0)
                == [.wrote(bytes: 60, total: 60, expected: 100)]
        )
    }

    @Test(arguments: [true, false]) func `nothing new is no call`(isUpload: Bool) {
        let standing = Standing(isUpload: isUpload, reported: 10)
        #expect(DelegateCalls.progress(standing, done: 10, total: 100, offset: 0).isEmpty)
    }

    @Test func `a handler hears nothing before the end`() {
        let standing = Standing(isUpload: true, hasHandler: true)
        #expect(DelegateCalls.progress(standing, done: 10, total: 100, offset: 0).isEmpty)
    }

    // MARK: - Ends

    @Test func `an upload ends with its last bytes, the body, the metrics and the completion`() {
        let calls = DelegateCalls.end(
            Standing(isUpload: true, reported: 40),
            Ending(isCompleted: true, bytesDone: 100, bytesTotal: 100, hasBody: true)
        )
        #expect(calls == [.sent(bytes: 60, total: 100, expected: 100), .receivedBody, .collectedMetrics, .completed])
    }

    @Test func `a download ends with its last bytes, the file, the metrics and the completion`() {
        let calls = DelegateCalls.end(
            Standing(isUpload: false),
            Ending(isCompleted: true, bytesDone: 7, bytesTotal: 7, hasFile: true)
        )
        let written = DelegateCalls.Call.wrote(bytes: 7, total: 7, expected: 7)
        #expect(calls == [written, .finishedDownloading, .collectedMetrics, .completed])
    }

    @Test func `a resumed download that ends before any progress still tells from where it went on`() {
        let calls = DelegateCalls.end(
            Standing(isUpload: false, owesResumed: true),
            Ending(isCompleted: true, bytesDone: 9, bytesTotal: 9, hasFile: true, offset: 4)
        )
        #expect(
            Array(calls.prefix(3)) == [
                .resumed(offset: 4, expected: 9), .wrote(bytes: 5, total: 9, expected: 9), .finishedDownloading,
            ]
        )
    }

    /// Every possible end: for each, the rules of Apple's documentation hold.
    @Test func `in every end metrics come before the completion, which is the last and the only one`() {
        for isUpload in [true, false] {
            for isCompleted in [true, false] {
                for hasBody in [true, false] {
                    for hasFile in [true, false] {
                        for reported in [Int64(0), 50, 100] {
                            let ending = Ending(
                                isCompleted: isCompleted,
                                bytesDone: 100,
                                bytesTotal: 100,
                                hasBody: hasBody,
                                hasFile: hasFile
                            )
                            let standing = Standing(isUpload: isUpload, reported: reported)
                            check(DelegateCalls.end(standing, ending), ending, isUpload)
                        }
                    }
                }
            }
        }
    }

    private func check(_ calls: [DelegateCalls.Call], _ ending: DelegateCalls.Ending, _ isUpload: Bool) {
        #expect(Array(calls.suffix(2)) == [.collectedMetrics, .completed])
        #expect(calls.count { $0 == .completed } == 1)
        #expect(calls.contains(.finishedDownloading) == (!isUpload && ending.isCompleted && ending.hasFile))
        #expect(calls.contains(.receivedBody) == (isUpload && ending.hasBody))
    }

    @Test func `a task with a handler ends with the handler alone`() {
        for isUpload in [true, false] {
            let calls = DelegateCalls.end(
                Standing(isUpload: isUpload, hasHandler: true),
                Ending(isCompleted: true, bytesDone: 9, bytesTotal: 9, hasBody: true, hasFile: true)
            )
            #expect(calls == [.handler])
        }
    }
}
