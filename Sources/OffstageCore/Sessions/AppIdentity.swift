// SPDX-License-Identifier: Apache-2.0

/// An app's identity, determined from its executable and the `Info.plist` files near it. Reads nothing itself.
package struct AppIdentity: Sendable, Equatable {
    /// The values of an `Info.plist`.
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

    /// - Parameter link: the target of `/proc/PID/exe`. If the file has been replaced since, such as by a new build of
    ///   the app, " (deleted)" follows its name.
    package init(link: String) {
        let suffix = " (deleted)"
        executable = link.hasSuffix(suffix) ? String(link.dropLast(suffix.count)) : link
    }

    /// The places of an `Info.plist` that may describe the executable: beside it, then in the nearest enclosing folder
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

    /// The app's identity, from the contents of the `candidates`, in order; nil for a missing or unusable one.
    ///
    /// The bundle identifier of the first file that names the executable, or otherwise the executable's path.
    package func name(_ bundles: [Bundle?]) -> String {
        for case let bundle? in bundles where isNamed(by: bundle.executable) {
            if let identifier = bundle.identifier, Self.isUsable(identifier) { return identifier }
        }
        return executable
    }

    /// Whether an `Info.plist` with this `CFBundleExecutable` describes the executable.
    package func isNamed(by bundleExecutable: String?) -> Bool {
        bundleExecutable == executable.pathParts.last ?? executable
    }

    /// The owner of the command's transfers, which no app can have.
    package static let command = "command"

    /// An identifier with a slash could be another program's path.
    private static func isUsable(_ identifier: String) -> Bool {
        (1...255).contains(identifier.utf8.count) && identifier != command
            && identifier.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }
    }

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastSlash ?? path.startIndex)])
    }

    /// The name of the folder of an app's downloads: its identity, with characters that a file name cannot contain
    /// written as `%` and two digits, shortened if it is too long, and then followed by a number that distinguishes
    /// shortened names.
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
