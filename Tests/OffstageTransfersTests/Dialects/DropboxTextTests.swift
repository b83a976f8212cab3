// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DropboxTextTests {
    @Test func `an argument is printable ASCII, and reads back as it was`() throws {
        let names = [
            "plain", "quote\" and back\\slash", "tab\tline\nreturn\r", "\u{0}\u{1f}\u{7f}\u{80}\u{9f}",
            "Grüße/日本語/🎬.mov", "e\u{301}", "\u{FFFF}\u{10FFFF}", "/slashes/stay",
        ]
        for name in names {
            let text = DropboxArgument.text(["path": .string(name), "offset": .integer(.max), "close": false])
            #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            #expect(
                DropboxJSON(parsing: Array(text.utf8))?["path"].string?.unicodeScalars.elementsEqual(
                    name.unicodeScalars
                ) == true
            )
        }
        #expect(DropboxArgument.text("🎬\u{7f}ü") == #""\ud83c\udfac\u007f\u00fc""#)
        #expect(
            DropboxArgument.text(["b": .array([.null, .bool(true), .number(1.5)]), "a": .object([:])])
                == #"{"a":{},"b":[null,true,1.5]}"#
        )
    }

    @Test func `a content_hash is the one that Dropbox computes`() throws {
        func digest(_ hexadecimal: String) throws -> [UInt8] {
            try stride(from: 0, to: hexadecimal.utf8.count, by: 2).map { index in
                let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: index)
                return try #require(UInt8(hexadecimal[start..<hexadecimal.index(start, offsetBy: 2)], radix: 16))
            }
        }
        #expect(
            ContentHash.hash(ofDigests: [])
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        let hello = try digest("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        #expect(
            ContentHash.hash(ofDigests: hello)
                == "9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50"
        )
        let zeros = try digest("bb9f8df61474d25e71fa00722318cd387396ca1736605e1248821cc0de3d3af8")
        #expect(
            ContentHash.hash(ofDigests: zeros)
                == "c7e946d101855255d919ef0c70718633adf77d3dfb3adeeecf5d0cb4e951be58"
        )
        #expect(
            ContentHash.hash(ofDigests: zeros + zeros)
                == "03ae066c707c588592d9e27aa2444ca98423e0999024f1ceaa11a153790b37de"
        )
    }

    /// The requested path, Dropbox's metadata, and the resulting place; nil for the requested one.
    static let made: [(String, DropboxJSON, String?)] = [
        ("/a.jpg", ["path_display": "/a (1).jpg", "name": "a (1).jpg"], "w:/a (1).jpg"),
        ("/Fotos/a.jpg", ["path_display": "/Fotos/a (1).jpg"], "w:/Fotos/a (1).jpg"),
        ("/Fotos/a.jpg", ["path_display": "/fotos/A.jpg", "name": "A.jpg"], nil),
        ("/Fotos/a.jpg", ["path_display": "/Fotos/a.jpg"], nil),
        ("/Fotos/a.jpg", ["name": "a (1).jpg"], "w:/Fotos/a (1).jpg"),
        ("ns:12/a.jpg", ["path_display": "/x/a (1).jpg", "name": "a (1).jpg"], "w:ns:12/a (1).jpg"),
        ("id:abc", ["path_display": "/x/a.jpg", "name": "a.jpg"], nil),
        ("/a", [:], nil), ("/a", ["path_display": true, "name": "b/c"], nil), ("/a", ["path_display": "/"], nil),
        ("/a", ["path_display": "/b\u{0}"], nil), ("/a", ["path_display": "b", "name": ""], nil),
        ("/a", ["path_display": "/b\u{1b}[31m"], "w:/b\u{FFFD}[31m"),
    ]

    @Test(arguments: made)
    func `the file is where Dropbox says that it is`(asked: String, metadata: DropboxJSON, place: String?) {
        #expect(DropboxParameters(account: "w", path: asked).destination(saidBy: metadata) == place)
    }

    @Test func `a path that is too long is not shown`() {
        let long = "/" + String(repeating: "a", count: 5000)
        let parameters = DropboxParameters(account: "w", path: "/a")
        #expect(parameters.destination(saidBy: .object(["path_display": .string(long)])) == nil)
    }

    @Test func `the parameters make a specification, and read back from it`() throws {
        var parameters = DropboxParameters(
            account: "work",
            path: "/Fotos/Grüße.jpg",
            endpoints: try DropboxEndpoints(below: "http://127.0.0.1:8080/")
        )
        parameters.mode = .update(revision: "0123456789a")
        parameters.autorename = true
        parameters.mute = true
        parameters.strictConflict = true
        parameters.clientModified = Date(timeIntervalSince1970: 1_700_000_000.75)
        let spec = try parameters.dialectSpec()
        #expect(spec.name == "dropbox")
        #expect(spec.destination == "work:/Fotos/Grüße.jpg")
        #expect(try DropboxParameters(spec) == parameters)
        #expect(parameters.clientModifiedText == "2023-11-14T22:13:20Z")
        #expect(try parameters.url().unredacted == "http://127.0.0.1:8080/2/files/upload")

        let plain = DropboxParameters(account: "dropbox", path: "/a")
        #expect(try plain.dialectSpec().parameters == #"{"account":"dropbox","path":"/a"}"#)
        #expect(try plain.url().unredacted == "https://content.dropboxapi.com/2/files/upload")
        #expect(try DropboxParameters(plain.dialectSpec()) == plain)
    }

    @Test(arguments: [
        "", "a", "a/b", "/", "/folder/", "id:", "ns:", "/a\u{0}b", "/" + String(repeating: "a", count: 4096),
    ])
    func `a path that Dropbox could only refuse is refused at once`(path: String) {
        #expect(throws: RequestError.self) { try DropboxParameters(account: "a", path: path).validate() }
    }

    @Test func `parameters that make no sense are refused with a sentence`() throws {
        func refuses(_ change: (inout DropboxParameters) -> Void) throws {
            var parameters = DropboxParameters(account: "a", path: "/a")
            try parameters.validate()
            change(&parameters)
            let error = #expect(throws: RequestError.self) { try parameters.validate() }
            #expect(error?.sentence.hasSuffix(".") == true)
        }
        for path in ["/a/b", "id:a4ayc_80_OEAAAAAAAAAXw", "ns:123/a"] {
            try DropboxParameters(account: "a", path: path).validate()
        }
        try refuses { $0.account = "" }
        try refuses { $0.account = "https" }
        try refuses { $0.mode = .update(revision: "12345678") }
        try refuses { $0.mode = .update(revision: "A12345678") }
        try refuses { $0.clientModified = Date(timeIntervalSince1970: -1) }
        try refuses { $0.clientModified = Date(timeIntervalSince1970: .nan) }
        try refuses { $0.content = "http://content.example.org/2" }
        try refuses { $0.api = "ftp://localhost/2" }
        try refuses { $0.api = "https://user:pass@example.org/2" }
        for text in ["", "[]", #"{"account":"a"}"#, #"{"account":"a","path":"/a","mode":"never"}"#] {
            let spec = DialectSpec(name: "dropbox", parameters: text, destination: "")
            #expect(throws: RequestError.self) { try DropboxParameters(spec) }
        }
    }

    @Test func `a commit says all that its owner decided`() throws {
        var upload = try DropboxBench.upload(size: 5) {
            $0.mode = .update(revision: "0123456789a")
            $0.mute = true
            $0.clientModified = Date(timeIntervalSince1970: 1_700_000_000)
        }
        #expect(upload.step() == .upload)
        guard case .send(let request) = upload.next(now: DropboxBench.start) else {
            return _ = Issue.record("nothing is sent")
        }
        let hash = SymbolicContent(version: 1, 0..<5).contentHash
        #expect(
            request.headers["Dropbox-API-Arg"]
                == #"{"autorename":false,"client_modified":"2023-11-14T22:13:20Z","content_hash":"\#(hash)","#
                + #""mode":{".tag":"update","update":"0123456789a"},"mute":true,"path":"/Films/film.mov","#
                + #""strict_conflict":false}"#
        )
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/octet-stream")
        #expect(request.provesBody)
        #expect(request.sourceOffset == 0)
    }

    @Test func `the owner's headers go along, but for those that are the dialect's`() throws {
        var spec = try DropboxBench.spec(size: 5)
        spec.headers = [
            HeaderField(name: "dropbox-api-path-root", value: "{}"),
            HeaderField(name: "authorization", value: "Bearer forged"),
            HeaderField(name: "CONTENT-TYPE", value: "text/plain"),
        ]
        var upload = try DropboxUpload(spec, memory: nil, now: DropboxBench.start)
        #expect(upload.step() == .upload)
        guard case .send(let request) = upload.next(now: DropboxBench.start) else {
            return _ = Issue.record("nothing is sent")
        }
        #expect(
            request.headers.map(\.name)
                == ["dropbox-api-path-root", "Authorization", "Dropbox-API-Arg", "Content-Type"]
        )
        #expect(request.headers["Authorization"] == "Bearer \(DropboxBench.secret)")
    }
}
