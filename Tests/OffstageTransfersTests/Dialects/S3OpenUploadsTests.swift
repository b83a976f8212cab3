// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// A server's list of open uploads, and the transfers that they belong to.
@Suite struct S3OpenUploadsTests {
    private static func page(_ inner: String) -> [UInt8] {
        Array("<ListMultipartUploadsResult xmlns=\"http://s3\">\(inner)</ListMultipartUploadsResult>".utf8)
    }

    private static func upload(_ key: String, _ id: String, _ begun: String = "2026-11-01T10:00:00.000Z") -> String {
        "<Upload><Key>\(key)</Key><UploadId>\(id)</UploadId><Initiated>\(begun)</Initiated></Upload>"
    }

    @Test func `a page is read, with where the next one begins`() throws {
        let body = Self.page(
            Self.upload("a &amp; b", "u1") + Self.upload("c", "u2", "2026-11-01T10:00:00Z")
                + "<IsTruncated>true</IsTruncated><NextKeyMarker>c</NextKeyMarker><NextUploadIdMarker>u2</NextUploadIdMarker>"
        )
        let page = try #require(S3OpenUploads(body, after: nil))
        #expect(page.uploads.map(\.key) == ["a & b", "c"] && page.uploads.map(\.id) == ["u1", "u2"])
        let begun = Date(timeIntervalSince1970: 1_793_527_200)
        #expect(page.uploads.map(\.begun) == [begun, begun])
        #expect(page.next == S3UploadMarker(key: "c", upload: "u2"))
        #expect(S3OpenUploads(Self.page(""), after: page.next) == S3OpenUploads(Self.page(""), after: nil))
    }

    @Test func `keys are decoded if the server says that it has encoded them`() throws {
        let uploads = Self.upload("a%20b%0A+c", "u1")
        let encoded = try #require(S3OpenUploads(Self.page("<EncodingType>url</EncodingType>" + uploads), after: nil))
        #expect(encoded.uploads.map(\.key) == ["a b\n c"])
        #expect(try #require(S3OpenUploads(Self.page(uploads), after: nil)).uploads.map(\.key) == ["a%20b%0A+c"])
    }

    @Test(arguments: [
        "", "<Upload/>", "<Upload><Key></Key><UploadId>u</UploadId></Upload>",
        "<Upload><Key>a</Key><UploadId></UploadId></Upload>",
        "<Upload><Key>a</Key><UploadId>with space</UploadId></Upload>",
        "<Upload><Key>\(String(repeating: "k", count: 1025))</Key><UploadId>u</UploadId></Upload>",
        "<Upload><Key>a</Key><UploadId>\(String(repeating: "u", count: 513))</UploadId></Upload>",
    ])
    func `what cannot be an upload is left out`(inner: String) throws {
        #expect(try #require(S3OpenUploads(Self.page(inner), after: nil)).uploads.isEmpty)
    }

    @Test(arguments: ["never", "", "99999-01-01T00:00:00Z", String(repeating: "9", count: 100)])
    func `a time that cannot be read is unknown`(text: String) throws {
        let page = try #require(S3OpenUploads(Self.page(Self.upload("a", "u", text)), after: nil))
        #expect(page.uploads.count == 1 && page.uploads[0].begun == nil)
    }

    @Test func `a list that goes nowhere, or is none, is refused`() {
        let marker = S3UploadMarker(key: "c", upload: "u2")
        let more = "<IsTruncated>true</IsTruncated>"
        for (inner, after) in [
            (more, nil), (more + "<NextKeyMarker></NextKeyMarker>", nil),
            (more + "<NextKeyMarker>c</NextKeyMarker><NextUploadIdMarker>u2</NextUploadIdMarker>", marker),
            (more + "<NextKeyMarker>c</NextKeyMarker><NextUploadIdMarker>a b</NextUploadIdMarker>", nil),
        ] as [(String, S3UploadMarker?)] {
            #expect(S3OpenUploads(Self.page(inner), after: after) == nil, "\(inner)")
        }
        for text in ["", "<ListBucketResult/>", "<ListMultipartUploadsResult>", "no XML"] {
            #expect(S3OpenUploads(Array(text.utf8), after: nil) == nil)
        }
        let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
        #expect(S3OpenUploads(Self.page(deep), after: nil) == nil)
    }

    // MARK: - Whose they are

    private static func transfer(_ id: Int64, memory: String? = nil, _ outcome: TransferOutcome? = nil) throws
        -> Transfer
    {
        let now = Moment(wall: Date(timeIntervalSince1970: 0), bootID: "b", uptime: 0)
        var transfer = Transfer(id: TransferID(rawValue: id), spec: try ModelS3.spec(size: 20 << 20), now: now)
        if let memory, case .upload(let source) = transfer.spec.direction {
            let identity = String(decoding: try JSONEncoder().encode(source.identity), as: UTF8.self)
            let text = #"{"v":1,"source":\#(identity),"id":"\#(memory)","partSize":8388608,"stored":0}"#
            transfer.dialectMemory = Array(text.utf8)
        }
        if let outcome { transfer.state = .finished(outcome, at: now) }
        return transfer
    }

    private static let place = S3Location(bucket: "films", key: "2026/a film.mov")

    private static func use(_ transfers: [Transfer], at place: S3Location = place) -> S3UploadsOnRecord.Use? {
        var record = S3UploadsOnRecord()
        for transfer in transfers { record.add(transfer, memory: transfer.dialectMemory) }
        return record.use(of: "u1", at: place)
    }

    @Test func `a transfer uses the upload that it remembers, also when it has failed`() throws {
        let failed = TransferOutcome.failed(.init(.accessKeyRefused, "no"), nil)
        let id = TransferID(rawValue: 7)
        #expect(Self.use([]) == nil)
        #expect(try Self.use([Self.transfer(7, memory: "u1")]) == .by(id))
        #expect(try Self.use([Self.transfer(7, memory: "u1", failed)]) == .by(id))
        #expect(try Self.use([Self.transfer(7, memory: "u2")]) == nil)
        #expect(try Self.use([Self.transfer(7, memory: "u1", .cancelled)]) == nil)
        #expect(try Self.use([Self.transfer(7, memory: "u1", .completed(Answer(status: 200)))]) == nil)
    }

    @Test func `one that has noted none may use any that is for its object`() throws {
        let failed = TransferOutcome.failed(.init(.accessKeyRefused, "no"), nil)
        #expect(try Self.use([Self.transfer(7)]) == .perhapsBy(TransferID(rawValue: 7)))
        #expect(try Self.use([Self.transfer(7)], at: S3Location(bucket: "films", key: "other")) == nil)
        #expect(try Self.use([Self.transfer(7, failed)]) == nil)
        // The transfer has recorded another upload since.
        #expect(try Self.use([Self.transfer(7), Self.transfer(7, memory: "u2")]) == nil)
        #expect(try Self.use([Self.transfer(8), Self.transfer(7, memory: "u1")]) == .by(TransferID(rawValue: 7)))
    }
}
