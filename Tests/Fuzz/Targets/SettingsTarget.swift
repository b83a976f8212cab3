// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `settings.json`, as a person may have written it.
enum SettingsTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        do throws(SettingsError) {
            let settings = try Settings.parse(Array(bytes), path: "/settings.json")
            _ = settings.backgroundTime(of: "org.example.app").name
            _ = settings.backgroundTime(of: "").name
        } catch {
            promise(!error.sentence.isEmpty, "an error without a word")
        }
    }
}
