// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Sends the user to the service's page, and accepts the code.
struct SignInPrompt {
    let account: Account
    let challenge: String
    let opensBrowser: Bool

    /// Seconds that the browser may take to deliver the code.
    private static let patience: Int32 = 600

    /// - Parameters:
    ///   - listener: where the browser delivers the code; nil if the user pastes it.
    ///   - context: the command's context.
    /// - Returns: the code; nil if the user wants to stop.
    /// - Throws: `CommandFailure` if there is none.
    func code(_ listener: RedirectListener?, _ context: CommandContext) throws -> String? {
        guard let listener else {
            _ = show(nil, context)
            say("Allow the app there, then paste the code that the page shows and press Return:", context)
            return try pasted(context)
        }
        let state = try CodeChallenge.randomText()
        let page = show((listener, state), context)
        say("Allow the app there; the browser then delivers the code to \(listener.uri).", context)
        switch try listener.wait(state: state, page: page, signals: context.catchSignals(), seconds: Self.patience) {
        case .code(let code): return code
        case .declined(let word):
            throw CommandFailure(
                "Dropbox says that the app was denied access (\(String(word.redactedControls.prefix(100)))): run the command again to retry."
            )
        case .incomplete, .stranger, .begin, nil: return nil
        }
    }

    private func pasted(_ context: CommandContext) throws -> String {
        let line = try context.readLine() ?? ""
        let code = String(line.unicodeScalars.filter { !$0.properties.isWhitespace })
        guard !code.isEmpty else {
            throw CommandFailure("No code was entered: run the command again, and paste the code that the page shows.")
        }
        return code
    }

    /// - Returns: the page's address.
    private func show(_ redirect: (listener: RedirectListener, state: String)?, _ context: CommandContext) -> String {
        let page = AuthorizePage(
            account.dropbox?.endpoints ?? .dropbox,
            appKey: account.dropbox?.appKey ?? "",
            challenge: challenge,
            redirect: redirect.map { ($0.listener.uri, $0.state) }
        )
        say("Open this page in a browser:\n\n  \(page.url)\n", context)
        // Every user can read command lines, so `state` is in none. Without it, the page is useless to others.
        if opensBrowser { Desktop.open(redirect?.listener.beginning ?? page.url, context.environment) }
        return page.url
    }

    /// With `--json`, standard output belongs to the document.
    private func say(_ text: String, _ context: CommandContext) {
        if context.printsJSON { context.output.complain(text) } else { context.output.print(text) }
    }
}
