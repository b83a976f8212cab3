// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The depth of a text's brackets and an upper bound for its values, found in one pass without recursion, before a
/// recursive decoder gets the text.
package struct JSONShape: Sendable, Hashable {
    package var depth = 0
    /// Never less than the real number, because separators and brackets are counted.
    package var values = 1

    /// The problem of a text's shape.
    package enum Problem: Error, Sendable, Hashable {
        case tooDeep
        case tooMany(Int)

        package var sentence: String {
            switch self {
            case .tooDeep: "The request is nested deeper than the daemon accepts: no client of Offstage sends that."
            case .tooMany(let limit): "The request contains more than \(limit) values: ask in parts."
            }
        }
    }

    /// None of our messages is even half as deep.
    package static let depthLimit = 64

    package init(of bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { scan($0) }
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer) {
        var (open, index) = (0, 0)
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:  // a string: skip to its end
                index += 1
                while index < bytes.count, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
            case 0x5B, 0x7B:
                open += 1
                values += 1
                if open > depth { depth = open }
            case 0x5D, 0x7D: open -= 1
            case 0x2C: values += 1
            default: break
            }
            index += 1
        }
    }

    /// - Throws: `Problem` for a text that must not be decoded.
    package static func check(_ bytes: some ContiguousBytes, values limit: Int = .max) throws(Problem) {
        let shape = JSONShape(of: bytes)
        if shape.depth > depthLimit { throw .tooDeep }
        if shape.values > limit { throw .tooMany(limit) }
    }
}
