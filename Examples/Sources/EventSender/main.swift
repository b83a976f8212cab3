// SPDX-License-Identifier: Apache-2.0
import Foundation

// EventSender FOLDER SERVER COUNT
//
// Posts COUNT new events, and those that earlier launches have left, and runs until all of them have arrived.

guard CommandLine.arguments.count == 4, let server = URL(string: CommandLine.arguments[2]),
    let count = Int(CommandLine.arguments[3])
else {
    print("usage: EventSender FOLDER SERVER COUNT")
    exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let log = try EventLog(in: folder)
let outbox = try Outbox(in: folder)
let delegate = DeliveryDelegate(outbox: outbox, log: log)

let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.EventSender")
configuration.isDiscretionary = false
configuration.httpAdditionalHeaders = ["X-Sender": "EventSender"]
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
let sender = EventSender(session: session, server: server, outbox: outbox, log: log)

await sender.sendLeftovers()
for number in 0..<count {
    try sender.send(Event(name: "button-\(number % 7)"))
}
if outbox.isEmpty { session.finishTasksAndInvalidate() }
for await _ in delegate.deliveries where outbox.isEmpty {
    session.finishTasksAndInvalidate()
}
log.note("over")
