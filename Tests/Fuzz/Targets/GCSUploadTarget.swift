// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// An upload to Google Cloud Storage with a server that gives any answer.
enum GCSUploadTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        UploadDialectTarget.run(bytes, spec, answer, provesContent: true)
    }

    private static let statuses = [
        308, 308, 308, 308, 200, 200, 201, 204, 400, 401, 403, 404, 410, 412, 413, 416, 499, 503, 0,
    ]

    /// Nil for a broken connection.
    private static func answer(_ input: inout FuzzInput) -> Answer? {
        let status = statuses[input.choice(statuses.count)]
        if status == 0 { return nil }
        var answer = Answer(status: status)
        switch input.choice(6) {
        case 0: answer.bodyStart = Array(input.part(endingAt: 0))
        case 1: answer.headers = [HeaderField(name: "Location", value: "/upload?upload_id=\(input.count())")]
        case 2: answer.headers = [HeaderField(name: "Range", value: "bytes=0-\(input.count())")]
        case 3: answer.bodyStart = Array(object(&input).utf8)
        case 4:
            let reason = reasons[input.choice(reasons.count)]
            answer.bodyStart = Array(#"{"error":{"message":"No.","errors":[{"reason":"\#(reason)"}]}}"#.utf8)
        default:
            while input.bool(), answer.headers.count < 4 {
                let name = names[input.choice(names.count)]
                answer.headers.append(HeaderField(name: name, value: input.text()))
            }
        }
        return answer
    }

    /// The object's metadata, for the file or for another one.
    private static func object(_ input: inout FuzzInput) -> String {
        let (size, generation) = (input.count(), input.count())
        let checksum = ["AAAABw==", "AAAAAA==", ""][input.choice(3)]
        let marker = input.bool() ? marker : "another"
        return
            #"{"size":"\#(size)","generation":"\#(generation)","crc32c":"\#(checksum)","metadata":{"offstage-id":"\#(marker)"}}"#
    }

    private static let names = ["Location", "Range", "Retry-After", "x-goog-hash"]
    private static let reasons = ["rateLimitExceeded", "forbidden", "conditionNotMet", "notFound"]
    private static let marker = String(repeating: "0123456789abcdef", count: 2)

    private static func spec(size: Int64) -> TransferSpec? {
        var parameters = GCSParameters(
            GCSLocation(bucket: "bucket", object: "an object"),
            at: nil,
            by: .command("print-token"),
            marker: marker
        )
        parameters.leavesExisting = size % 2 == 1
        guard let dialect = try? parameters.dialectSpec(), let url = try? parameters.url() else { return nil }
        let identity = FileIdentity(device: 1, inode: 2, size: size, modified: 3)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/a", identity: identity)),
            url: url,
            method: "PUT",
            owner: "command"
        )
        spec.dialect = dialect
        return spec
    }
}
