// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// Servers' answers about what they have of a transfer's file, and the comparison with its receipt.
enum ServerInquiryTarget {
    /// More steps than any server may cause.
    private static let mostSteps = 100
    private static let token = "SECRET-token-0123456789"
    /// The server for which all secrets are meant.
    private static let home = try? RequestURL("https://files.example/a")
    private static let mirror = try? RequestURL("https://mirror.example/a")

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        guard let transfer = transfer(&input), var inquiry = try? StoredObjectInquiry.about(transfer) else { return }
        for _ in 0..<mostSteps {
            switch inquiry.next(now: fuzzStart) {
            case .authorize:
                var granted = GrantedToken(token)
                granted.accessKey = AccessKey(id: "AKID", secret: token)
                inquiry.authorized(granted)
            case .send(let request):
                check(request)
                inquiry.answered(answer(&input), now: fuzzStart)
            case .finish(let answer): return check(StoredObject(answer, of: transfer), transfer)
            case .fail(let failure):
                return promise(!failure.detail.contains(token), "the token is in \(failure.detail)")
            }
        }
        promise(false, "a server is asked for ever")
    }

    /// Questions in a dialect carry their own token or signature.
    private static func check(_ request: TokenRequest) {
        guard case .question(let question) = request.body, let owners = question.owners, let home,
            !request.url.hasOrigin(of: home)
        else { return }
        let isTold = question.headers.contains { $0.value.contains(token) } || owners.credentials != nil
        promise(!isTold, "\(request.url.hostKey) is told what was meant for another server")
    }

    private static func check(_ object: StoredObject?, _ transfer: Transfer) {
        promise(object.map { "\($0)" }?.contains(token) != true, "the token is in what is told")
        let texts = [object?.version, object?.entityTag, object?.lastModified].compactMap(\.self)
        promise(
            !texts.contains { $0.contains(HeaderField.hidden) },
            "a text is compared of which something was struck out"
        )
        promise(object?.size.map { ByteCounts.range.contains($0) } ?? true, "a size that no file has")
        guard let receipt = TransferReceipt(of: transfer) else { return }
        let finding = receipt.compared(with: object)
        guard case .same = finding else { return }
        promise(object?.size.map { $0 == receipt.bytes } ?? true, "a file of another length is taken for the same")
    }

    private static let statuses = [200, 200, 204, 206, 301, 302, 307, 400, 401, 401, 403, 404, 409, 410, 429, 503]
    private static let names = [
        "Content-Length", "ETag", "Last-Modified", "Repr-Digest", "Digest", "Content-Encoding", "Location",
        "WWW-Authenticate", "x-goog-hash", "x-amz-checksum-sha256", "Upload-Offset", "Date", "Content-Range",
        "x-amz-checksum-type",
    ]

    private static func answer(_ input: inout FuzzInput) -> TokenAnswer {
        let status = statuses[input.choice(statuses.count)]
        return TokenAnswer(status: status, body: Array(input.part(endingAt: 0)), headers: headers(&input))
    }

    private static func headers(_ input: inout FuzzInput) -> [HeaderField] {
        var headers: [HeaderField] = []
        while input.bool(), headers.count < 6 {
            headers.append(HeaderField(name: names[input.choice(names.count)], value: input.text()))
        }
        return headers
    }

    /// A transfer of one of the kinds, which has completed with any answer.
    private static func transfer(_ input: inout FuzzInput) -> Transfer? {
        let kind = input.choice(8)
        guard var spec = spec(kind) else { return nil }
        spec.headers = [HeaderField(name: "X-Key", value: token)]
        spec.credentials = .init(user: "me", password: token)
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: fuzzStart)
        var answer = Answer(status: 200, headers: headers(&input))
        answer.bodyStart = Array(input.part(endingAt: 0))
        transfer.state = .finished(.completed(answer), at: fuzzStart)
        transfer.bytesDone = 40
        transfer.dialectMemory = memories[kind].map { Array($0.utf8) }
        return transfer
    }

    /// The memories of uploads by S3 and tus.
    private static let memories = [
        5: #"{"v":1,"source":[1,2,40,3],"id":"u","partSize":5242880,"stored":40}"#,
        6:
            #"{"v":1,"source":[1,2,40,3],"chunk":8388608,"upload":{"url":"https://tus.example/u","acknowledged":40,"sent":40}}"#,
    ]

    private static func spec(_ kind: Int) -> TransferSpec? {
        guard let url = home else { return nil }
        let source = TransferSpec.UploadSource(
            path: "/a",
            identity: FileIdentity(device: 1, inode: 2, size: 40, modified: 3)
        )
        let isDownload = [1, 3, 7].contains(kind)
        let direction = isDownload ? TransferSpec.Direction.download(.init(path: "/a")) : .upload(source)
        var spec = TransferSpec(direction: direction, url: url, owner: "command")
        let object = S3Object(
            S3Location(bucket: "films", key: "a"),
            at: S3Endpoint(base: "https://s3.example", region: "us-east-1"),
            keys: .account("s3")
        )
        let marker = String(repeating: "0a", count: 16)
        switch kind {
        case 2: spec.dialect = try? DropboxParameters(account: "work", path: "/a").dialectSpec()
        case 3: spec.dialect = try? object.dialectSpec()
        case 4:
            let place = GCSLocation(bucket: "films", object: "a")
            spec.dialect = try? GCSParameters(place, at: nil, by: .command("true"), marker: marker).dialectSpec()
        case 5: spec.dialect = try? S3Parameters(object, marker: marker).dialectSpec()
        case 6: spec.dialect = DialectSpec(name: TusParameters.dialect, parameters: "{}", destination: "a")
        case 7:
            guard let mirror else { return nil }
            spec.mirrors = MirrorList([url, mirror])
            spec.url = mirror
        default: break
        }
        return spec
    }
}
