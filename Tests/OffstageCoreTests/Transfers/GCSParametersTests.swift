// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct GCSParametersTests {
    private static func parameters(
        _ place: String = "gs://films/2026/a film.mov",
        at endpoint: String? = nil
    ) throws -> GCSParameters {
        GCSParameters(
            try #require(GCSLocation(place)),
            at: endpoint,
            by: .command("gcloud auth print-access-token"),
            marker: String(repeating: "ab", count: 16)
        )
    }

    @Test func `a place is read as it is written`() throws {
        #expect(GCSLocation("gs://films/a//b") == GCSLocation(bucket: "films", object: "a//b"))
        #expect(GCSLocation("GS://films") == GCSLocation(bucket: "films", object: ""))
        #expect(
            GCSLocation("s3://films/a") == nil && GCSLocation("https://films/a") == nil && GCSLocation("gs:/a") == nil
        )
        #expect(BucketPath("gs://films/a/")?.isFolder == true && BucketPath("gs://films")?.isFolder == true)
        #expect(BucketPath("s3://films/a")?.isFolder == false && BucketPath("films/a") == nil)
    }

    @Test func `they are kept as they were given`() throws {
        var parameters = try Self.parameters(at: "http://127.0.0.1:9023")
        parameters.leavesExisting = true
        parameters.storageClass = "NEARLINE"
        parameters.metadata = [MetadataEntry("Title", "ein Film ü")]
        let spec = try parameters.dialectSpec()
        #expect(spec.name == "gcs" && spec.destination == "gs://films/2026/a film.mov")
        #expect(try GCSParameters(spec) == parameters)
        #expect(try parameters.url().unredacted == "http://127.0.0.1:9023/films/2026/a%20film.mov")
        var plain = try Self.parameters()
        plain.identity = .keyFile("/k.json")
        #expect(try GCSParameters(plain.dialectSpec()) == plain)
        #expect(try plain.url().unredacted == "https://storage.googleapis.com/films/2026/a%20film.mov")
    }

    @Test func `what cannot be is refused with a sentence`() throws {
        for (change, words) in Self.wrong {
            var parameters = try Self.parameters()
            change(&parameters)
            let error = #expect(throws: RequestError.self) { try parameters.validate() }
            #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
        }
    }

    private static let wrong: [(@Sendable (inout GCSParameters) -> Void, String)] = [
        ({ $0.location.bucket = "Films" }, "not a bucket's name"),
        ({ $0.location.bucket = "ab" }, "not a bucket's name"),
        ({ $0.location.bucket = "a/b" }, "not a bucket's name"), ({ $0.location.object = "" }, "names no object"),
        ({ $0.location.object = String(repeating: "a", count: 1025) }, "more than 1024 bytes"),
        ({ $0.location.object = "a\nb" }, "control character"), ({ $0.location.object = "a/../b" }, "'.' or '..'"),
        ({ $0.endpoint = "https://h/p" }, "more than an endpoint"),
        ({ $0.endpoint = "https://H" }, "must be in lower case"),
        ({ $0.endpoint = "http://other.example" }, "plain http to another machine"),
        ({ $0.marker = "a" }, "no marker"), ({ $0.storageClass = "nearline" }, "not a storage class"),
        ({ $0.identity = .keyFile("k.json") }, "not absolute"), ({ $0.identity = .command("") }, "is empty"),
        ({ $0.metadata = [MetadataEntry("offstage-id", "1")] }, "given twice"),
        ({ $0.metadata = [MetadataEntry("", "1")] }, "no name"),
        ({ $0.metadata = [MetadataEntry("a", String(repeating: "b", count: 8192))] }, "more than 8192 bytes"),
    ]
}
