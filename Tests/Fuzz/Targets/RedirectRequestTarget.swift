// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// Data from a local process to the listener that waits for a browser.
enum RedirectRequestTarget {
    private static let state = "fuzzed-state"

    static func run(_ bytes: UnsafeRawBufferPointer) {
        let all = Array(bytes)
        let request = RedirectRequest(all, state: state)
        _ = request.answer
        if case .code(let code) = request {
            promise(!code.isEmpty, "an empty code")
            promise(String(decoding: all, as: UTF8.self).contains("state="), "a code without a state")
        }
        let fields = URLEncodedForm.decode(String(decoding: all, as: UTF8.self))
        let text = URLEncodedForm.encode(fields.map { ($0.key, $0.value) })
        promise(URLEncodedForm.decode(text) == fields, "a form is another when it was written and read")
    }
}
