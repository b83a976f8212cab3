// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageProtocol
package import OffstageTestSupport
import PeerTestSupport
import Synchronization

/// `offstage upload --detach …`, and what reached the daemon.
package struct RecordedUpload {
    package let run: CommandRun
    package let specs: [TransferSpec]

    package init(
        _ words: [String],
        directory: TemporaryDirectory,
        environment: [String: String] = [:],
        input: String = ""
    ) throws {
        let specs = Recorded()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            let request = try WireCoding.decode(SubmitTransfers.self, from: payload)
            let first = specs.add(request.specs)
            return [
                try ScriptedPeer.reply(
                    SubmitTransfers.Reply(ids: request.specs.indices.map { .init(rawValue: Int64(first + $0)) })
                )
            ]
        }
        run = withExtendedLifetime(peer) {
            CommandRun(
                ["upload", "--detach"] + words,
                home: directory.path("h"),
                directory: directory.path,
                environment: environment,
                input: input
            )
        }
        self.specs = specs.all
    }

    private final class Recorded: Sendable {
        private let specs = Mutex<[TransferSpec]>([])
        var all: [TransferSpec] { specs.withLock { $0 } }
        func add(_ more: [TransferSpec]) -> Int {
            specs.withLock { specs in
                specs += more
                return specs.count - more.count + 1
            }
        }
    }
}
