// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Sends requests about notifications to the daemon, in order, on its own queue. From any thread.
///
/// A request holds the app from the moment it is made: even a request made in the last moments in the background is
/// sent.
final class NotificationClient: Sendable {
    private let client = BlockingClient()
    private let queue = DispatchQueue(label: "offstage.notifications")

    /// Sends a request, and passes the answer to a closure on the queue.
    func ask<Request: WireRequest & Sendable>(
        _ request: Request,
        then: @escaping @Sendable (Result<Request.Reply, UNError>) -> Void
    ) {
        onQueue { [self] in
            do throws(OffstageError) {
                then(.success(try client.ask(request)))
            } catch {
                let sentence = "The Offstage daemon could not be asked about notifications: \(error)"
                complain(sentence)
                then(.failure(UNError(.notificationsNotAllowed, sentence)))
            }
        }
    }

    /// Sends a request without waiting for an answer; a failure is reported on standard error.
    func post(_ request: some WireRequest & Sendable, _ trouble: String) {
        onQueue { [self] in
            do throws(OffstageError) {
                _ = try client.ask(request)
            } catch {
                complain("\(trouble): \(error)")
            }
        }
    }

    /// Sends a request and waits for the answer; nil if there is no answer. Call it only on the queue.
    func answer<Request: WireRequest>(_ request: Request) -> Request.Reply? {
        do throws(OffstageError) {
            return try client.ask(request)
        } catch {
            complain("The Offstage daemon could not be asked about a notification: \(error)")
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

    /// Writes an error to standard error, since an app may discard it.
    func complain(_ sentence: String) { StandardError.write("offstage: \(sentence)") }
}
