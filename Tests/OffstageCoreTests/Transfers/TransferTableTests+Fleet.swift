// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The rows of the table about rows of a fleet.
extension TransferTableTests {
    private static let keeper = TransferKeeper(fleet: "f", row: 3, fence: 1)

    static let fleetRows: [Row] = [
        Row(
            event: "its keeper is not there",
            isUpload: true,
            apply: {
                $0.spec.keeper = keeper
                return KeeperStep.absent.apply(to: &$0, now: now) ?? []
            },
            expected: [.queued: "keeper: awaitKeeper"]
        ),
        Row(
            event: "nobody keeps it",
            isUpload: false,
            apply: { KeeperStep.absent.apply(to: &$0, now: now) },
            expected: [:],
            otherwise: .refused
        ),
        Row(
            event: "its keeper is there",
            isUpload: true,
            apply: { KeeperStep.attached.apply(to: &$0, now: now) },
            expected: [.waitingForKeeper: "queued: enqueue"],
            otherwise: .refused
        ),
        Row(
            event: "withheld",
            isUpload: true,
            apply: ended(.withheld(isRefused: false)),
            expected: [.running: "keeper: awaitKeeper"]
        ),
        Row(
            event: "withheld before anything was sent, by a keeper that refuses",
            isUpload: true,
            apply: ended(.withheld(isRefused: true), reached: 20),
            expected: [.running: "keeper(refused): awaitKeeper"]
        ),
        Row(
            event: "release",
            isUpload: true,
            apply: { $0.release(now: now) },
            expected: [
                .queued: "released: awaitRequests dequeue deleteSnapshot deliver(released)",
                .waitingForRetry: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingForDate: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingForOthers: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingForCredentials: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingForKeeper: "released: awaitRequests deleteSnapshot deliver(released)",
                .running: "released: awaitRequests stop deleteSnapshot deliver(released)",
                .paused: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingForChallenge: "released: awaitRequests deleteSnapshot deliver(released)",
                .waitingToBegin: "released: awaitRequests deleteSnapshot deliver(released)",
            ],
            otherwise: .refused
        ),
    ]
}
