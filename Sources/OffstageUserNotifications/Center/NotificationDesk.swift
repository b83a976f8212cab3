// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Asks the daemon about notifications, in order, on a queue of its own. From any thread.
///
/// A question holds the app from when it is made: one that is made in the last moments in background is still asked.
final class NotificationDesk: Sendable {
    private let desk = DaemonDesk()
    private let queue = DispatchQueue(label: "offstage.notifications")

    /// Asks, and has the answer handed over on the queue.
    func ask<Request: WireRequest & Sendable>(
        _ request: Request,
        then: @escaping @Sendable (Result<Request.Reply, UNError>) -> Void
    ) {
        onQueue { [self] in
            do throws(OffstageError) {
                then(.success(try desk.ask(request)))
            } catch {
                let sentence = "The daemon of Offstage was not asked about notifications: \(error)"
                complain(sentence)
                then(.failure(UNError(.notificationsNotAllowed, sentence)))
            }
        }
    }

    /// Asks for something that nobody waits for; what keeps it from being done stands on standard error.
    func tell(_ request: some WireRequest & Sendable, _ trouble: String) {
        onQueue { [self] in
            do throws(OffstageError) {
                _ = try desk.ask(request)
            } catch {
                complain("\(trouble): \(error)")
            }
        }
    }

    /// The answer to a question, waited for; nil when there is none. On the queue alone.
    func answer<Request: WireRequest>(_ request: Request) -> Request.Reply? {
        do throws(OffstageError) {
            return try desk.ask(request)
        } catch {
            complain("The daemon of Offstage was not asked about a notification: \(error)")
            return nil
        }
    }

    func onQueue(_ work: @escaping @Sendable () -> Void) {
        let hold = AppCode.current.hold()
        queue.async {
            work()
            hold.end()
        }
    }

    func fail(_ error: UNError, _ completionHandler: (@Sendable ((any Error)?) -> Void)?) {
        complain(error.localizedDescription)
        onQueue { completionHandler?(error) }
    }

    func succeed(_ completionHandler: (@Sendable ((any Error)?) -> Void)?) { onQueue { completionHandler?(nil) } }

    /// An app may drop the error.
    func complain(_ sentence: String) {
        let line = "offstage: \(sentence)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
