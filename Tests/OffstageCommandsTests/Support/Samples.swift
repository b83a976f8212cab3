// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Rows as a daemon would send them.
package enum Samples {
    package static func spec(
        upload: Bool = false,
        url: String = "https://files.example/in/big.iso?token=secret",
        path: String = "/home/me/big.iso"
    ) throws -> TransferSpec {
        let identity = FileIdentity(device: 1, inode: 2, size: 1_048_576, modified: 3)
        return TransferSpec(
            direction: upload ? .upload(.init(path: path, identity: identity)) : .download(.init(path: path)),
            url: try RequestURL(url),
            owner: "command"
        )
    }

    package static func row(
        _ id: Int64 = 7,
        _ cause: Reason.Cause = .inLine(ahead: 0),
        state: TransferState? = nil,
        upload: Bool = false,
        url: String = "https://files.example/in/big.iso?token=secret",
        path: String = "/home/me/big.iso",
        done: Int64 = 0,
        total: Int64? = 1_048_576,
        rate: Double = 0,
        nextLook: Date? = nil
    ) throws -> TransferRow {
        TransferRow(
            transfer: try transfer(id, cause, state: state, upload: upload, url: url, path: path),
            reason: Reason(cause: cause, since: noon, nextLook: nextLook),
            bytesDone: done,
            bytesTotal: total,
            rate: rate
        )
    }

    package static func transfer(
        _ id: Int64,
        _ cause: Reason.Cause,
        state: TransferState? = nil,
        upload: Bool = false,
        url: String = "https://files.example/in/big.iso",
        path: String = "/home/me/big.iso"
    ) throws -> Transfer {
        let now = Moment(wall: noon, bootID: "boot", uptime: 100)
        var transfer = Transfer(
            id: TransferID(rawValue: id),
            spec: try spec(upload: upload, url: url, path: path),
            now: now
        )
        transfer.state = state ?? Self.state(cause, now)
        if transfer.state.kind == .running { transfer.past.count = 1 }
        return transfer
    }

    private static func state(_ cause: Reason.Cause, _ now: Moment) -> TransferState {
        let later = Moment(wall: noon.addingTimeInterval(65), bootID: "boot", uptime: 165)
        switch cause {
        case .running, .fileSystem: return .running(.init(number: 1, startedAt: now, offset: 0))
        case .saving: return .saving(Answer(status: 200), since: noon)
        case .retry(let failure, _):
            return .waiting(.init(cause: .retry(failure, Deadline(setAt: now, delay: 2)), since: noon))
        case .earliestBegin: return .waiting(.init(cause: .earliestBegin(noon), since: noon))
        case .predecessor(let one, _): return .waiting(.init(cause: .predecessors([one]), since: noon))
        case .credentials(let host): return .waiting(.init(cause: .credentials(host: host), since: noon))
        case .account(let failure): return .waiting(.init(cause: .account(failure), since: noon))
        case .appDecides(_, let question): return .waiting(.init(cause: .delegate(question), since: noon))
        case .setAside(let crashes): return .waiting(.init(cause: .setAside(crashes: crashes), since: noon))
        case .unreadable(let crashes): return .waiting(.init(cause: .unreadable(crashes: crashes), since: noon))
        case .paused: return .paused(since: noon, timeLeft: 10)
        case .completed(let status): return .finished(.completed(Answer(status: status)), at: later)
        case .leftOut:
            var answer = Answer(status: 200)
            answer.saysThere = true
            return .finished(.completed(answer), at: later)
        case .failed(let failure):
            let answer =
                failure.code == .httpStatus ? Answer(status: 404, bodyStart: Array("no such file\n".utf8)) : nil
            return .finished(.failed(failure, answer), at: later)
        case .keeper(let isRefused): return .waiting(.init(cause: .keeper(isRefused: isRefused), since: noon))
        case .cancelled: return .finished(.cancelled, at: later)
        case .released: return .finished(.released, at: later)
        case .inLine, .hostLimit, .totalLimit, .network, .held, .heldByFleet, .fleetLimit, .suspected, .storeTrouble:
            return .queued(since: noon)
        }
    }
}
