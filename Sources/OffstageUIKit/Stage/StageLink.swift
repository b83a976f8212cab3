// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Attaches the process to the daemon on each new connection of the app's link, sends reports in order and forwards
/// commands. Unchecked, since only the link's thread uses it.
final class StageLink: LinkUser, @unchecked Sendable {
    private let stage: Stage
    /// The connection on which the process is attached.
    private var line: LinkLine?
    private var backoff = LinkBackoff()
    /// Whether another process of the app is attached.
    private var isRefused = false

    init(_ stage: Stage) { self.stage = stage }

    // MARK: - The link

    var eventName: String { StageCommand.name }
    var wantsLink: Bool { !isRefused }

    func linked(_ line: LinkLine) {
        stage.asks(true)
        attach(line)
    }

    func linkLost() {
        line = nil
        stage.endFollowing()
        stage.asks(false)
    }

    func linkFailed(_ error: OffstageError, isTold: Bool) {
        stage.asks(false)
        if error.code == .daemonNotFound { stage.resolve(nil) }
    }

    func received(_ event: WireFrame) {
        // Commands that this version does not know can be ignored.
        guard let command = try? WireCoding.decodeFromDaemon(StageCommand.self, from: event.payload) else { return }
        stage.deliver(command)
    }

    /// Sends the reports. Events before the process is attached are in the view with which it attaches, or wait: until
    /// then, the daemon does not know which process a report belongs to.
    func attend() {
        guard let line else { return }
        for report in stage.takeReports() {
            // A report is a few numbers and names, so encoding it cannot fail.
            guard let payload = try? WireCoding.encode(report.bounded) else { continue }
            line.post(StageReport.name, payload)
        }
    }

    func flushed() { stage.sent() }

    // MARK: - Attaching

    private func attach(_ line: LinkLine) {
        guard !isRefused else { return }
        line.open(AttachApp(view: stage.beginFollowing())) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply):
                self.line = line
                backoff.succeeded()
                stage.attached(reply)
                attend()
            case .failure(let error): failed(line, error)
            }
        }
    }

    private func failed(_ line: LinkLine, _ error: OffstageError) {
        stage.endFollowing()
        // If this connection is lost, the next one attaches again anyway.
        if error.code == .connectionLost || error.code == .timedOut { return }
        stage.asks(false)
        if error.code == .inUse { return refuse(error) }
        let verdict = backoff.failed(error.code, now: LinkLine.now)
        line.later(verdict.pause) { [weak self] in
            guard let self else { return }
            stage.asks(true)
            attach(line)
        }
    }

    /// Refuses the process because another process of the app is attached: reports the error and ends this process.
    private func refuse(_ error: OffstageError) {
        isRefused = true
        if stage.resolve(.refused(error)) { return }
        // This process has run without a daemon until now, and has something to save.
        Stage.complain("\(error)")
        stage.deliver(.terminate)
    }
}
