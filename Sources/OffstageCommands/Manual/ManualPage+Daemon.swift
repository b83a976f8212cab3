// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension ManualPage {
    /// The page of the daemon.
    package static var daemon: ManualPage {
        var page = ManualPage(
            "offstaged",
            section: 8,
            summary: "daemon for background transfers, apps and deferred work"
        )
        let flags = DaemonReference.options.map { "Fl \(MdocText.argument(String($0.name.dropFirst())))" }
        page.synopsis = [".Nm"] + flags.map { ".Op \($0)" }
        page.description = DaemonReference.paragraphs.map { .paragraph($0) }
        page.description += [
            .paragraph("The options are as follows:"),
            .list(zip(flags, DaemonReference.options).map { ($0, $1.meaning) }),
            .paragraph(
                """
                Each user has one daemon. SIGKILL or a power loss loses nothing that was reported as done: the next daemon \
                continues. With socket activation (`LISTEN_FDS`) it serves the socket that it is given, and it notifies \
                `NOTIFY_SOCKET` when it is ready and when it stops.
                """
            ),
        ]
        page.sections = [
            ("ENVIRONMENT", environment(\.isForDaemon)), ("FILES", files),
            (
                "EXIT STATUS",
                [.list(DaemonReference.exitStatuses.map { (MdocText.argument("\($0.code)"), $0.meaning) })]
            ),
        ]
        page.related = [
            ("offstage", 1), ("offstage-daemon-log", 1), ("offstage-daemon-status", 1), ("offstage-daemon-stop", 1),
            ("offstage-doctor", 1), ("offstage-settings", 5), ("offstage-notifier", 8),
        ]
        return page
    }

    /// The page of the program between the daemon and a desktop.
    package static var notifier: ManualPage {
        var page = ManualPage("offstage-notifier", section: 8, summary: "shows notifications of apps on a desktop")
        page.synopsis = [".Nm"]
        page.description = [
            .paragraph(
                """
                The daemon starts it when an app has something to show and there is a session bus. It ends with the daemon, with \
                the session, or when nothing has been shown for a while. Do not start it by hand.
                """
            )
        ]
        page.related = [("offstage-notifications", 1), ("offstaged", 8)]
        return page
    }

    /// The page of the settings.
    package static var settings: ManualPage {
        var page = ManualPage("offstage-settings", section: 5, summary: "settings of the Offstage daemon")
        page.description = SettingsReference.introduction.map { .paragraph($0) }
        page.description += [
            .paragraph("An example:"),
            .literal(SettingsReference.example.split(separator: "\n").map(String.init)),
            .paragraph("The keys are as follows:"), .list(SettingsReference.settings.map(item)),
            .paragraph("Each entry of `schedule` is an object; the first one that covers the time decides:"),
            .list(SettingsReference.schedule.map(item)),
            .paragraph("`deferredWork` is an object, whose keys take precedence over `strict`:"),
            .list(SettingsReference.deferredWork.map(item)),
        ]
        page.sections = [("FILES", files)]
        page.related = [("offstage", 1), ("offstage-limit", 1), ("offstaged", 8)]
        return page
    }

    private static func item(_ setting: SettingDescription) -> (term: String, meaning: String) {
        var meaning = sentence(setting.meaning)
        if !setting.values.text.isEmpty { meaning += " Values: \(setting.values.text)." }
        if !setting.usual.isEmpty { meaning += " Default: \(setting.usual)" }
        if !setting.strict.isEmpty { meaning += "; with `strict`, \(setting.strict)" }
        if !setting.usual.isEmpty { meaning += "." }
        return ("Cm \(MdocText.argument(setting.key))", meaning)
    }

    /// The environment variables that a page needs.
    static func environment(_ isWanted: (PlacesReference.Variable) -> Bool) -> [Block] {
        let variables = PlacesReference.variables.filter(isWanted)
        return [.list(variables.map { ($0.names.map { "Ev \($0)" }.joined(separator: " , "), sentence($0.meaning)) })]
    }

    /// The places of all files.
    static var files: [Block] {
        [
            .list(
                PlacesReference.places.map { place in
                    (
                        MdocText.argument(place.what),
                        sentence("\(place.usual); under `OFFSTAGE_HOME`, \(place.underHome)")
                    )
                }
            )
        ]
    }

    /// Adds a full stop, if there is none yet.
    private static func sentence(_ text: String) -> String {
        (text.first?.isLetter == true ? text.prefix(1).uppercased() + text.dropFirst() : text) + "."
    }
}
