// SPDX-License-Identifier: Apache-2.0

/// Reads a JSON object strictly: types must match, and unknown names are refused.
struct ArgumentReader {
    /// The beginning of every complaint.
    private let complaint: String
    /// The path to this object, for complaints: `cursor: offset: `.
    private let path: String
    private let fields: [String: EmulatorJSON]
    private var known: Set<String> = []

    /// In seconds; more than 300 years. Longer times have no textual form, and eventually overflow an integer.
    static let longestTime: Double = 1e10

    /// - Parameters:
    ///   - json: the object.
    ///   - complaint: the beginning of every complaint, with its colon and space.
    ///   - path: the names that lead to this object.
    /// - Throws: `DropboxRefusal.malformed` if it is not an object.
    init(_ json: EmulatorJSON, complaint: String, path: String = "") throws(DropboxRefusal) {
        self.complaint = complaint
        self.path = path
        guard let fields = json.object else {
            throw .malformed("\(complaint)\(path)expected object, got \(json.kind)")
        }
        self.fields = fields
    }

    func refuse(_ name: String, _ what: String) -> DropboxRefusal {
        .malformed("\(complaint)\(path)\(name): \(what)")
    }

    /// The field's value; nil if it is absent or null.
    private mutating func optional(_ name: String) -> EmulatorJSON? {
        known.insert(name)
        guard let value = fields[name], value != .null else { return nil }
        return value
    }

    private mutating func required(_ name: String) throws(DropboxRefusal) -> EmulatorJSON {
        guard let value = optional(name) else {
            throw .malformed("\(complaint)\(path)missing required field '\(name)'")
        }
        return value
    }

    mutating func string(_ name: String) throws(DropboxRefusal) -> String {
        guard let value = try optionalString(name) else {
            throw .malformed("\(complaint)\(path)missing required field '\(name)'")
        }
        return value
    }

    mutating func optionalString(_ name: String) throws(DropboxRefusal) -> String? {
        guard let value = optional(name) else { return nil }
        guard let text = value.string else { throw refuse(name, "expected string, got \(value.kind)") }
        return text
    }

    mutating func bool(_ name: String, default value: Bool) throws(DropboxRefusal) -> Bool {
        guard let found = optional(name) else { return value }
        guard let flag = found.bool else { throw refuse(name, "expected boolean, got \(found.kind)") }
        return flag
    }

    /// A nonnegative integer.
    mutating func count(_ name: String) throws(DropboxRefusal) -> Int64 {
        let value = try required(name)
        guard let number = value.integer else { throw refuse(name, "expected integer, got \(value.kind)") }
        guard number >= 0 else { throw refuse(name, "\(number) is not within range [0, 18446744073709551615]") }
        return number
    }

    mutating func optionalCount(_ name: String) throws(DropboxRefusal) -> Int64? {
        optional(name) == nil ? nil : try count(name)
    }

    /// A nonnegative number.
    mutating func optionalNumber(_ name: String) throws(DropboxRefusal) -> Double? {
        let value: Double? =
            switch optional(name) {
            case nil: nil
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            case let other?: throw refuse(name, "expected number, got \(other.kind)")
            }
        if let value, value < 0 { throw refuse(name, "\(value) is negative") }
        return value
    }

    /// Seconds: nonnegative, and no more than a clock can be ahead.
    mutating func optionalSeconds(_ name: String) throws(DropboxRefusal) -> Double? {
        let value = try optionalNumber(name)
        if let value, value > Self.longestTime { throw refuse(name, "\(value) is more than \(Self.longestTime)") }
        return value
    }

    mutating func optionalInteger(_ name: String) throws(DropboxRefusal) -> Int64? {
        guard let value = optional(name) else { return nil }
        guard let number = value.integer else { throw refuse(name, "expected integer, got \(value.kind)") }
        return number
    }

    mutating func object(_ name: String) throws(DropboxRefusal) -> ArgumentReader {
        try ArgumentReader(required(name), complaint: complaint, path: "\(path)\(name): ")
    }

    mutating func objects(_ name: String) throws(DropboxRefusal) -> [ArgumentReader] {
        let value = try required(name)
        guard case .array(let values) = value else { throw refuse(name, "expected list, got \(value.kind)") }
        var readers: [ArgumentReader] = []
        for (index, value) in values.enumerated() {
            readers.append(try ArgumentReader(value, complaint: complaint, path: "\(path)\(name)[\(index)]: "))
        }
        return readers
    }

    mutating func strings(_ name: String) throws(DropboxRefusal) -> [String]? {
        guard let value = optional(name) else { return nil }
        guard case .array(let values) = value else { throw refuse(name, "expected list, got \(value.kind)") }
        var texts: [String] = []
        for value in values {
            guard let text = value.string else { throw refuse(name, "expected string, got \(value.kind)") }
            texts.append(text)
        }
        return texts
    }

    /// Any value; nil if it is absent or null.
    mutating func any(_ name: String) -> EmulatorJSON? { optional(name) }

    /// A union: a bare string, which is allowed only for members without a value, or an object with `.tag`. Each member
    /// is given with whether it has a value, which is then a string under the member's name.
    mutating func union(
        _ name: String,
        members: [String: Bool]
    ) throws(DropboxRefusal) -> (tag: String, value: String?)? {
        guard let value = optional(name) else { return nil }
        let tag: String
        if let text = value.string {
            tag = text
        } else if let text = value[".tag"].string {
            tag = text
        } else {
            let isObject = value.object != nil
            throw refuse(name, isObject ? "missing '.tag' key" : "expected string or object, got \(value.kind)")
        }
        guard let hasValue = members[tag] else { throw refuse(name, "invalid tag \"\(tag)\"") }
        guard hasValue else { return (tag, nil) }
        guard let member = value[tag].string else { throw refuse(name, "missing '\(tag)' key") }
        return (tag, member)
    }

    /// - Throws: `DropboxRefusal.malformed` if there are unread names.
    func end() throws(DropboxRefusal) {
        if let name = fields.keys.filter({ !known.contains($0) }).sorted().first {
            throw .malformed("\(complaint)\(path)unknown field '\(name)'")
        }
    }
}
