// SPDX-License-Identifier: Apache-2.0

extension TransferSpec {
    /// The JSON that `JSONEncoder` makes of an ordinary task of a session, in a tenth of the time; nil for a
    /// specification with anything more in it.
    ///
    /// `URLSessionTask.resume()` returns only when this is written, and an app may resume tens of thousands in one go.
    package func quickJSON() -> [UInt8]? {
        guard isOrdinary else { return nil }
        var json = JSONText()
        json.open("direction")
        switch direction {
        case .upload(let source):
            json.open("upload")
            json.open("_0")
            json.add("path", source.path)
            let identity = source.identity
            json.add("identity", numbers: "\(identity.device),\(identity.inode),\(identity.size),\(identity.modified)")
            json.add("isSnapshot", source.isSnapshot ? "true" : "false", isQuoted: false)
        case .download(let target):
            json.open("download")
            json.open("_0")
            json.add("path", target.path)
            json.add("overwrites", target.overwrites ? "true" : "false", isQuoted: false)
        }
        json.close()
        json.close()
        json.close()
        json.add("url", url.unredacted)
        json.add("method", method)
        json.add("headers", texts: headers.map { "\($0.name): \($0.value)" })
        json.add("owner", owner)
        if let label { json.add("label", label) }
        json.add("priority", priority.description, isQuoted: false)
        json.add("idleTimeout", idleTimeout.description, isQuoted: false)
        json.add("overallTimeout", overallTimeout.description, isQuoted: false)
        if let sessionTask {
            json.open("sessionTask")
            json.add("session", sessionTask.session)
            json.add("task", sessionTask.task.description, isQuoted: false)
            json.close()
        }
        if let connectionsPerHost { json.add("connectionsPerHost", connectionsPerHost.description, isQuoted: false) }
        json.close()
        return json.bytes
    }

    /// Whether nothing is set but what `quickJSON` writes. Compared with a whole value, so that a property that is
    /// added one day is never left out.
    private var isOrdinary: Bool {
        if case .download(let target) = direction, target.checksum != nil { return false }
        guard priority.isFinite, idleTimeout.isFinite, overallTimeout.isFinite else { return false }
        var ordinary = TransferSpec(direction: direction, url: url, method: method, owner: owner)
        ordinary.headers = headers
        ordinary.label = label
        ordinary.priority = priority
        ordinary.idleTimeout = idleTimeout
        ordinary.overallTimeout = overallTimeout
        ordinary.sessionTask = sessionTask
        ordinary.connectionsPerHost = connectionsPerHost
        return self == ordinary
    }
}

/// Writes JSON objects with keys that need no escaping.
private struct JSONText {
    private(set) var bytes: [UInt8]

    init() {
        bytes = []
        bytes.reserveCapacity(640)
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func open(_ key: String) {
        name(key)
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func close() { bytes.append(UInt8(ascii: "}")) }

    mutating func add(_ key: String, _ value: String, isQuoted: Bool = true) {
        name(key)
        if isQuoted { quote(value) } else { bytes += value.utf8 }
    }

    mutating func add(_ key: String, numbers: String) {
        name(key)
        bytes.append(UInt8(ascii: "["))
        bytes += numbers.utf8
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ key: String, texts: [String]) {
        name(key)
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            quote(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func name(_ key: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += key.utf8
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// RFC 8259, section 7: only quotation marks, backslashes and control characters have to be escaped.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<32:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
