// SPDX-License-Identifier: Apache-2.0

/// The message for a word of the command line that is not UTF-8.
package enum ForeignBytes {
    /// - Parameters:
    ///   - index: the word's index.
    ///   - words: all words after the program's name; anything that is not UTF-8 has replacement characters.
    /// - Returns: a sentence that describes the word, and what to do.
    package static func sentence(_ index: Int, of words: [String]) -> String {
        let command = CommandLineTool.find(words)
        let word = words[index]
        let (shown, kind) = place(index, of: words, command)
        let what = "'\(shown.redactedControls)'"
        let trouble: String
        switch kind {
        case .file?: trouble = "\(what) is not UTF-8, which file names must be: rename it."
        case .value(let option)?: trouble = "\(what), the value of \(option), is not UTF-8: write it in UTF-8."
        case nil where word.firstRange(of: "://") != nil:
            trouble =
                "the URL '\(word.withoutUserOfURL.redactedControls)' is not UTF-8: write its non-ASCII bytes as %XX."
        case nil: trouble = "\(what) is not UTF-8: write it in UTF-8."
        }
        return "\(trouble) Nothing was done."
    }

    private enum Kind {
        case file
        case value(String)
    }

    /// The relevant part of the word, and its meaning; nil for a word on its own.
    private static func place(
        _ index: Int,
        of words: [String],
        _ command: (any Command.Type)?
    ) -> (shown: String, Kind?) {
        let word = words[index]
        guard let command else { return (word, nil) }
        func kind(_ name: String, _ option: CommandOption) -> Kind {
            switch option.kind {
            case .file, .directory: .file
            case .text, .transfers, .words: .value(name)
            }
        }
        func option(_ name: String) -> CommandOption? {
            command.allOptions.first { $0.names.contains(name) && $0.value != nil }
        }
        if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            let name = String(word[..<equals])
            let value = String(word[word.index(after: equals)...])
            return option(name).map { (value, kind(name, $0)) } ?? (word, nil)
        }
        if index > 0, let option = option(words[index - 1]) { return (word, kind(words[index - 1], option)) }
        if word.hasPrefix("-"), !word.hasPrefix("--"), let option = option(String(word.prefix(2))) {
            return (String(word.dropFirst(2)), kind(String(word.prefix(2)), option))
        }
        switch command.operands {
        case .files, .filesAndAccounts:
            return (word, index < command.path.count || UploadTarget.isTarget(word) ? nil : .file)
        case .none, .transfers, .apps, .tasks, .transfersAndTasks, .accounts, .words: return (word, nil)
        }
    }
}
