// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Sends the app's fetch interval to the daemon, and forwards the daemon's calls to the delegate. From any thread.
final class BackgroundFetch: DeferredWorkHandler {
    static let shared = BackgroundFetch(.shared)

    private let port: DeferredWorkPort
    private let client = BlockingClient()
    private let queue = DispatchQueue(label: "offstage.background-fetch")

    private init(_ port: DeferredWorkPort) { self.port = port }

    func setInterval(_ seconds: Double) {
        guard port.standing != .offStage else { return }
        // "Never" is the greatest finite number.
        let interval = seconds.isNaN || seconds > Durations.range.upperBound ? nil : max(0, seconds)
        let hold = AppCode.current.hold()
        queue.async { [self] in
            defer { hold.end() }
            do throws(OffstageError) {
                let reply = try client.ask(SetFetchInterval(seconds: interval))
                if let refusal = reply.refusal { Stage.complain(refusal.sentence) }
            } catch {
                Stage.complain("The background fetch interval was not set: \(error)")
            }
        }
    }

    func start(_ launch: TaskLaunch, turn: UInt64) -> Bool {
        guard launch.identifier == TaskRequest.fetchIdentifier, launch.kind == .refresh else { return false }
        let port = port
        Stage.current.onMain {
            let application = UIApplication.shared
            guard port.enter(launch.number, turn: turn) else { return }
            guard let delegate = application.delegate else { return port.complete(launch.number, success: false) }
            AppCode.current.run {
                delegate.application(
                    application,
                    performFetchWithCompletionHandler: { result in
                        port.complete(launch.number, success: result != .failed)
                    }
                )
            }
        }
        return true
    }

    func startAgain(_ number: UInt64) {}

    /// Called when the completion handler was not called in time; a later call is ignored.
    func expire(_ number: UInt64, _ expiry: TaskExpiry) { port.complete(number, success: false) }

    func leaveOut(_ number: UInt64) {}
}
