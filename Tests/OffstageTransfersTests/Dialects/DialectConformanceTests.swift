// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DialectConformanceTests {
    /// A server that accepts one whole body.
    struct PlainPeer: DialectPeer {
        var received: RequestBody?

        mutating func answer(_ request: DialectRequest, now: Moment) -> Answer {
            received = request.body
            return Answer(status: 200)
        }

        var isComplete: Bool { received != nil }
    }

    @Test(arguments: [0, 1, 5 << 20, 1 << 30] as [Int64]) func `a plain upload conforms`(size: Int64) throws {
        let spec = TransferSpec(
            direction: .upload(DropboxBench.source(size: size)),
            url: try RequestURL("https://example.org/put"),
            owner: "command"
        )
        try DialectConformance(spec: spec) { PlainPeer() }.check()
    }

    @Test(arguments: [0, 8 << 20, (8 << 20) + 1, 45 << 20, 200_000_001] as [Int64])
    func `Dropbox's dialect conforms`(size: Int64) throws {
        for afterCommit in ModelDropbox.AfterCommit.allCases {
            for change in Self.wishes {
                let spec = try DropboxBench.spec(size: size, change)
                try DialectConformance(spec: spec) {
                    var dropbox = ModelDropbox()
                    dropbox.afterCommit = afterCommit
                    dropbox.tokens = [DialectConformance.secret, DialectConformance.secret + "2"]
                    return dropbox
                }.check()
            }
        }
    }

    /// The work grows with the square of the number of requests, so only one server is tested with many.
    private static let sizesInLanes: [(Int64, ModelDropbox.Concurrency)] =
        ModelDropbox.Concurrency.allCases.map { (45 << 20, $0) } + [((64 << 20) + 1, .known)]

    @Test(arguments: sizesInLanes)
    func `Dropbox's dialect conforms with several connections`(
        size: Int64,
        concurrency: ModelDropbox.Concurrency
    ) throws {
        let all = Array(zip(ModelDropbox.AfterCommit.allCases, Self.wishes))
        // The course at a server without such sessions is the same for all variants.
        for (afterCommit, change) in concurrency == .known ? all : Array(all.prefix(1)) {
            let spec = try DropboxBench.spec(size: size) {
                change(&$0)
                $0.connections = concurrency == .known ? 4 : 2
            }
            var conformance = DialectConformance(spec: spec) {
                var dropbox = ModelDropbox()
                (dropbox.afterCommit, dropbox.concurrency) = (afterCommit, concurrency)
                dropbox.tokens = [DialectConformance.secret, DialectConformance.secret + "2"]
                return dropbox
            }
            // Bytes sent in vain to a server without such sessions are sent once more.
            conformance.mayStartAgain = concurrency == .ignored
            try conformance.check()
        }
    }

    private static let wishes: [@Sendable (inout DropboxParameters) -> Void] = [
        { $0.mode = .overwrite },
        {
            $0.autorename = true
            $0.strictConflict = true
        },
    ]

    @Test(arguments: [0, 1, 8 << 20, (8 << 20) + 1, 45 << 20, 200_000_001] as [Int64])
    func `the dialect for tus conforms`(size: Int64) throws {
        for extensions in ["creation", "creation,checksum,expiration"] {
            try DialectConformance(spec: try ModelTus.spec(size: size)) {
                var tus = ModelTus()
                tus.extensions = extensions
                return tus
            }.check()
        }
    }

    @Test(arguments: [0, 1, 8 << 20, 200_000_001] as [Int64])
    func `the dialect for resumable uploads conforms`(size: Int64) throws {
        for version in [3, 6, 8] {
            try DialectConformance(spec: try ModelResumable.spec(size: size)) {
                var server = ModelResumable()
                (server.version, server.refusesOthers) = (version, true)
                return server
            }.check()
        }
    }

    @Test(arguments: [1 << 20, 200_000_001] as [Int64])
    func `a plain upload that offers to be resumed conforms`(size: Int64) throws {
        var spec = try ModelResumable.spec(size: size)
        (spec.dialect, spec.offersResumption) = (nil, true)
        try DialectConformance(spec: spec) { ModelResumable() }.check()
        try DialectConformance(spec: spec) { PlainPeer() }.check()
    }

    @Test(arguments: [0, 1, 8 << 20, (8 << 20) + 1, 45 << 20] as [Int64])
    func `the dialect for S3 conforms`(size: Int64) throws {
        for leavesExisting in [false, true] {
            for forgets in [false, true] {
                let spec = try ModelS3.spec(size: size) {
                    $0.leavesExisting = leavesExisting
                    $0.connections = 1
                }
                try DialectConformance(spec: spec, asksBeforeEnd: true) {
                    var server = ModelS3()
                    server.forgetsCompleted = forgets
                    return server
                }.check()
            }
        }
        let spec = try ModelS3.spec(size: size) { $0.connections = 3 }
        try DialectConformance(spec: spec, asksBeforeEnd: true) { ModelS3() }.conformsInLanes()
    }

    @Test(arguments: [0, 1, 256 << 10, (8 << 20) + 1, 45 << 20, 200_000_001] as [Int64])
    func `the dialect for Google Cloud Storage conforms`(size: Int64) throws {
        for leavesExisting in [false, true] {
            for forgets in [false, true] {
                let spec = try ModelGCS.spec(size: size) { $0.leavesExisting = leavesExisting }
                try DialectConformance(spec: spec) {
                    var server = ModelGCS()
                    server.forgetsMade = forgets
                    return server
                }.check()
            }
        }
    }

    @Test func `a dialect that is not known is refused with a sentence`() throws {
        var spec = try DropboxBench.spec(size: 1)
        spec.dialect?.name = "pigeon"
        let error = #expect(throws: RequestError.self) {
            try Dialects.make(spec, memory: nil, now: DropboxBench.start)
        }
        #expect(error?.sentence.contains("'pigeon'") == true)
    }
}
