// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Values that many tests of rules start from.
enum Fixture {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// The moment so many seconds after the start, in one boot with an accurate clock.
    static func moment(_ seconds: Double, boot: String = "boot-1") -> Moment {
        Moment(wall: start + seconds, bootID: boot, uptime: 5000 + seconds)
    }

    static func download(checksum: Checksum? = nil) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: "/tmp/target", checksum: checksum)),
            url: try RequestURL("https://files.example.org/a"),
            owner: "command"
        )
        spec.overallTimeout = 1000
        return spec
    }

    static func upload(isSnapshot: Bool = false) throws -> TransferSpec {
        let identity = FileIdentity(device: 1, inode: 2, size: 300, modified: 4)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/tmp/source", identity: identity, isSnapshot: isSnapshot)),
            url: try RequestURL("https://files.example.org/a"),
            owner: "command"
        )
        spec.overallTimeout = 1000
        return spec
    }
}
