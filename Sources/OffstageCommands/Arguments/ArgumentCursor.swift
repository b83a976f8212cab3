// SPDX-License-Identifier: Apache-2.0

/// The words of a command line, sorted into options and operands by a command's table of options.
///
/// As in getopt: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-qf`, options and operands in any order, `--`
/// ends the options, a lone `-` is an operand. Each `take…` removes what it returns.
package struct ArgumentCursor: Sendable {
    /// The values by the option's first name, each with its position among all given options.
    private var values: [String: [(place: Int, value: String)]] = [:]
    private var places = 0
    private var operands: [String] = []

    /// - Throws: `UsageError` for an option that is not in the table, or one whose value is missing or unexpected.
    package init(_ words: [String], options: [CommandOption]) throws(UsageError) {
        var table: [String: CommandOption] = [:]
        for option in options { for name in option.names { table[name] = option } }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word, &rest, table)
            } else if word.hasPrefix("-"), word.count > 1 {
                try takeShort(word, &rest, table)
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func takeLong(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        _ table: [String: CommandOption]
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = table[parts[0]] else { throw Self.unknown(parts[0], table) }
        guard option.value != nil else {
            guard parts.count == 1 else { throw UsageError("\(parts[0]) takes no value") }
            add("", to: option)
            return
        }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { throw Self.missing(parts[0], option) }
        add(value, to: option)
    }

    private mutating func takeShort(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        _ table: [String: CommandOption]
    ) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = table["-\(letter)"] else { throw Self.unknown("-\(letter)", table) }
            guard option.value != nil else {
                add("", to: option)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw Self.missing("-\(letter)", option)
            }
            add(value, to: option)
            return
        }
    }

    private mutating func add(_ value: String, to option: CommandOption) {
        values[option.names[0], default: []].append((places, value))
        places += 1
    }

    private static func missing(_ name: String, _ option: CommandOption) -> UsageError {
        UsageError("\(name) needs a value: \(name) \(option.value ?? "")")
    }

    private static func unknown(_ name: String, _ table: [String: CommandOption]) -> UsageError {
        if name.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }), name.count > 1 {
            return UsageError("there is no option \(name), and no number here is negative")
        }
        let close = table.keys.filter { $0.hasPrefix("--") && Spelling.areClose($0, name) }.sorted().first
        return UsageError("there is no option \(name)" + (close.map { "; did you mean \($0)?" } ?? ""))
    }

    /// Whether an option was given, with a value or without.
    package func takesAny(of name: String) -> Bool { values[name] != nil }

    /// Whether the flag was given.
    package mutating func takeFlag(_ name: String) -> Bool { values.removeValue(forKey: name) != nil }

    /// The value of an option; the last one if it was given more than once.
    package mutating func takeValue(_ name: String) -> String? { values.removeValue(forKey: name)?.last?.value }

    /// All values of an option that may be given more than once, in order.
    package mutating func takeValues(_ name: String) -> [String] { takeValues(ofAny: [name]).map(\.value) }

    /// All values of some options, in the order given, each with its option.
    package mutating func takeValues(ofAny names: [String]) -> [(name: String, value: String)] {
        var all: [(place: Int, name: String, value: String)] = []
        for name in names { all += (values.removeValue(forKey: name) ?? []).map { ($0.place, name, $0.value) } }
        return all.sorted { $0.place < $1.place }.map { ($0.name, $0.value) }
    }

    /// Everything that is not an option, in order.
    package mutating func takeOperands() -> [String] {
        defer { operands = [] }
        return operands
    }

    /// Takes a value and parses it with `parse`.
    ///
    /// - Throws: `UsageError` that names the option and what it takes.
    package mutating func takeValue<Value>(
        _ name: String,
        _ meaning: String,
        _ parse: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = takeValue(name) else { return nil }
        guard let value = parse(text) else { throw UsageError("'\(text)' is not \(meaning), as \(name) requires") }
        return value
    }

    /// - Throws: `UsageError` if there are operands for a command that takes none.
    package mutating func expectNoOperands() throws(UsageError) {
        if let first = takeOperands().first { throw UsageError("'\(first.withoutUserOfURL)' is unexpected here") }
    }
}

extension ArgumentCursor {
    /// Whether help is requested, anywhere before `--`.
    package static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }
}
