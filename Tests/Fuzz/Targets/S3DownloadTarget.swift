// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// A download from S3, with a server that gives any answer: one request at a time, so that each answer is for the last
/// one.
enum S3DownloadTarget {
    /// Another key, the server's clock and two regions: after these, only a success lets it ask again.
    private static let mostAsked = 4

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        guard let spec = spec(&input), var download = try? Dialects.download(spec) else { return }
        var now = fuzzStart
        var (keys, asked) = (0, 0)
        while !input.isAtEnd {
            if download.asksFor != nil {
                keys += 1
                download.authorized(GrantedToken(AccessKey(id: "key\(keys)", secret: "secret")))
                promise(download.asksFor == nil, "a key is not enough")
            }
            now = input.moment(after: now)
            let request = download.request(lane: 0, now: now)
            promise(request.headers["Authorization"] != nil, "a request is not signed")
            for field in request.headers {
                promise((try? field.validate()) != nil, "a header that forges another: \(field.name)")
            }
            guard let answer = S3UploadTarget.answer(&input) else { continue }
            switch download.answered(answer, lane: 0, now: now) {
            case .ask:
                asked += 1
                promise(asked <= mostAsked, "the same is asked for \(asked) times")
            case .counts:
                promise((200..<300).contains(answer.status), "\(answer.status) is no refusal")
                asked = 0
            case .fail(let failure): promise(!failure.detail.isEmpty, "a failure without a sentence")
            case .beginAgain: promise(answer.status == 412, "\(answer.status) is no change")
            }
            _ = download.tokenPlaces
        }
    }

    private static func spec(_ input: inout FuzzInput) -> TransferSpec? {
        let object = S3Object(
            S3Location(bucket: "bucket", key: "a key"),
            at: S3Endpoint(base: input.bool() ? "https://s3.example" : nil, region: "us-east-1"),
            keys: .profile(AWSProfile(name: "default", credentialsPath: "/a", configPath: "/b"))
        )
        guard let dialect = try? object.dialectSpec(), let url = try? object.url() else { return nil }
        var spec = TransferSpec(direction: .download(.init(path: "/a", overwrites: false)), url: url, owner: "command")
        spec.dialect = dialect
        return spec
    }
}
