// SPDX-License-Identifier: Apache-2.0

/// Events of the present turn of the engine's loop.
final class EventOutbox {
    private var events: [EngineEvent] = []

    func append(_ event: EngineEvent) {
        events.append(event)
    }

    func takeAll() -> [EngineEvent] {
        defer { events = [] }
        return events
    }
}
