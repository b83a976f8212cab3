// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct S3ParametersTests {
    private static let marker = String(repeating: "0f", count: 16)

    private func parameters(
        _ text: String,
        at endpoint: S3Endpoint = S3Endpoint(base: nil, region: "us-east-1")
    ) throws -> S3Parameters {
        let profile = AWSProfile(name: "work", credentialsPath: "/c", configPath: "/f")
        let object = S3Object(try #require(S3Location(text)), at: endpoint, keys: .profile(profile))
        return S3Parameters(object, marker: Self.marker)
    }

    @Test(arguments: [
        ("s3://my-bucket/a b/ü+?#%.txt", "https://my-bucket.s3.us-east-1.amazonaws.com/a%20b/%C3%BC%2B%3F%23%25.txt"),
        ("S3://my.bucket/a//b/", "https://s3.us-east-1.amazonaws.com/my.bucket/a//b/"),
        ("s3://My_Bucket/a", "https://s3.us-east-1.amazonaws.com/My_Bucket/a"),
    ])
    func `an object has one URL`(text: String, expected: String) throws {
        #expect(try parameters(text).url().unredacted == expected)
    }

    @Test func `other endpoints and regions have their own hosts`() throws {
        let other = try parameters("s3://b-1/k", at: S3Endpoint(base: "http://[::1]:9000", region: "x"))
        #expect(try other.url().unredacted == "http://[::1]:9000/b-1/k" && other.partLimit == 1000)
        let china = try parameters("s3://b-1/k", at: S3Endpoint(base: nil, region: "cn-north-1"))
        #expect(try china.url().host == "b-1.s3.cn-north-1.amazonaws.com.cn" && china.partLimit == 10_000)
    }

    @Test(arguments: [
        "s3://", "s3:///k", "s3://b/", "s3://b", "s3://b c/k", "s3://b/a/../c", "s3://b/.", "s3://b/a\u{1}",
        "s3://.b/k", "s3://b\u{e4}/k", "s3://b/" + String(repeating: "k", count: 1025),
    ])
    func `what cannot be an object is refused`(text: String) throws {
        #expect(throws: RequestError.self) { try parameters(text).validate() }
    }

    @Test(
        arguments: [
            { $0.object.endpoint.region = "us east" }, { $0.object.endpoint.base = "https://h/path" },
            { $0.object.endpoint.base = "ftp://h" }, { $0.object.endpoint.base = "https://Host" },
            { $0.object.endpoint.base = "https://a@h" }, { $0.marker = "0" }, { $0.storageClass = "a b" },
            { $0.mostParts = 0 },
            { $0.mostParts = 10_001 }, { $0.connections = 17 },
            { $0.object.keys = .profile(AWSProfile(name: "a", credentialsPath: "/c", configPath: "relative")) },
            { $0.object.keys = .account("two words") },
            { $0.metadata = [MetadataEntry("a b", "c")] }, { $0.metadata = [MetadataEntry("a", "ü")] },
            { $0.metadata = [MetadataEntry("a", "1"), MetadataEntry("A", "2")] },
            { $0.metadata = [MetadataEntry("Offstage-ID", "1")] }, { $0.metadata = [MetadataEntry("a", "b\r\nX: y")] },
            { $0.metadata = [MetadataEntry("a", String(repeating: "b", count: 2048))] },
        ] as [@Sendable (inout S3Parameters) -> Void]
    )
    func `what no endpoint accepts is refused`(change: @Sendable (inout S3Parameters) -> Void) throws {
        var parameters = try parameters("s3://bucket/key")
        try parameters.validate()
        change(&parameters)
        #expect(throws: RequestError.self) { try parameters.validate() }
    }

    @Test func `what is stored is read again`() throws {
        var parameters = try parameters("s3://bucket/key", at: S3Endpoint(base: "https://s3.example", region: "r"))
        let plain = try parameters.dialectSpec()
        #expect(try S3Parameters(plain) == parameters && plain.destination == "s3://bucket/key")
        parameters.leavesExisting = true
        parameters.storageClass = "STANDARD_IA"
        parameters.metadata = [MetadataEntry("title", "a")]
        parameters.mostParts = 100
        parameters.connections = 4
        parameters.sendsChecksums = true
        #expect(try S3Parameters(parameters.dialectSpec()) == parameters)
        parameters.object.keys = .account("minio")
        #expect(try S3Parameters(parameters.dialectSpec()) == parameters && parameters.object.account == "minio")
        #expect(throws: RequestError.self) {
            try S3Parameters(DialectSpec(name: "s3", parameters: "{}", destination: ""))
        }
    }

    @Test(
        arguments: [
            (1, 1000, 8 << 20, 1), (8 << 20, 1, 8 << 20, 1), ((8 << 20) + 1, 1000, 8 << 20, 2),
            (512 << 20, 1000, 16 << 20, 32), (1 << 40, 10_000, 105 << 20, 9987), (1 << 40, 1000, 1049 << 20, 1000),
        ] as [(Int64, Int, Int64, Int)]
    )
    func `a file is cut so that its parts fit`(size: Int64, limit: Int, partSize: Int64, count: Int) throws {
        let plan = try #require(PartPlan(size: size, limit: limit))
        #expect(plan.partSize == partSize && plan.count == count)
        var end: Int64 = 0
        for part in 1...plan.count {
            let range = try #require(plan.range(of: part))
            #expect(range.lowerBound == end && !range.isEmpty)
            end = range.upperBound
        }
        #expect(end == size && plan.range(of: 0) == nil && plan.range(of: plan.count + 1) == nil)
    }

    @Test func `a file that does not fit is refused, whatever the numbers`() {
        #expect(PartPlan(size: (5 << 30) * 10 + 1, limit: 10) == nil)
        #expect(PartPlan(size: .max, limit: 10_000) == nil)
        #expect(PartPlan(size: 0, limit: 10) == nil && PartPlan(size: -1, limit: 0) == nil)
        #expect(PartPlan(size: 10, partSize: 0) == nil && PartPlan(size: 10, partSize: .max) == nil)
    }
}
