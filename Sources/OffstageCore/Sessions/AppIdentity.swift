// SPDX-License-Identifier: Apache-2.0

/// Who an app is: decided from its executable and the `Info.plist` files near it. Reads nothing itself.
package struct AppIdentity: Sendable, Equatable {
    /// What an `Info.plist` says of these.
    package struct Bundle: Sendable, Equatable, Codable {
        package var identifier: String?
        package var executable: String?

        package init(identifier: String?, executable: String?) {
            self.identifier = identifier
            self.executable = executable
        }

        private enum CodingKeys: String, CodingKey {
            case identifier = "CFBundleIdentifier"
            case executable = "CFBundleExecutable"
        }
    }

    /// The absolute path of the executable.
    package let executable: String

    /// - Parameter link: what `/proc/PID/exe` says; a file that was replaced since, by a new build of the same app,
    ///   is named with " (deleted)" behind it.
    package init(link: String) {
        let suffix = " (deleted)"
        executable = link.hasSuffix(suffix) ? String(link.dropLast(suffix.count)) : link
    }

    /// Where an `Info.plist` may lie that speaks for the executable: beside it, then in the nearest folder around it
    /// whose name ends in `.app`.
    package var candidates: [String] {
        let folder = Self.folder(of: executable)
        var paths = [folder + "/Info.plist"]
        var around = folder
        while !around.isEmpty {
            if around.hasSuffix(".app"), !around.hasSuffix("/.app") {
                for path in [around + "/Info.plist", around + "/Contents/Info.plist"] where !paths.contains(path) {
                    paths.append(path)
                }
                break
            }
            around = Self.folder(of: around)
        }
        return paths
    }

    /// The app's identity, from what the `candidates` say, in their order; nil for one that is not there or no use.
    ///
    /// The bundle identifier of the first file that names the executable as its own, else the executable's path.
    package func name(_ bundles: [Bundle?]) -> String {
        for case let bundle? in bundles where isNamed(by: bundle.executable) {
            if let identifier = bundle.identifier, Self.isUsable(identifier) { return identifier }
        }
        return executable
    }

    /// Whether an `Info.plist` with this `CFBundleExecutable` speaks for the executable.
    package func isNamed(by bundleExecutable: String?) -> Bool {
        bundleExecutable == executable.pathParts.last ?? executable
    }

    /// The command's transfers have an owner that no app can be.
    package static let command = "command"

    /// An identifier with a slash could be another program's path.
    private static func isUsable(_ identifier: String) -> Bool {
        (1...255).contains(identifier.utf8.count) && identifier != command
            && identifier.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }
    }

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastSlash ?? path.startIndex)])
    }

    /// The name of the folder that an app's downloads are kept in: its identity, with what a file's name cannot hold
    /// written as `%` and two digits, cut where it would be too long; then a number that tells apart what was cut.
    package static func folderName(for app: String) -> String {
        var name = ""
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let digits = Array("0123456789abcdef")
        for byte in app.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            guard name.utf8.count < 120 else { continue }
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || (byte == UInt8(ascii: ".") && !name.isEmpty)
            if isPlain {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        guard app.utf8.count > 60 else { return name }
        return name + "-" + String(hash, radix: 16)
    }
}
