// SPDX-License-Identifier: Apache-2.0

/// The life of one row at a member: from its lease until the database has accepted the final report on it.
///
/// `MemberLease` decides whether anything moves. The database decides who owns the row: each report carries the fence,
/// and a refusal means that another member has the row.
package struct FleetRow: Sendable, Equatable {
    /// How a row leaves the member without having ended.
    package struct Return: Sendable, Equatable {
        /// Seconds until it may be leased again.
        @Within<Durations> package var after: Double
        package var note: String

        package init(after: Double, note: String) {
            self.after = after
            self.note = note
        }
    }

    package enum State: Sendable, Equatable {
        /// The daemon has not been asked for anything yet.
        case granted
        /// The database is being notified that an unrepeatable request may be sent.
        case beginning
        /// The daemon is being asked to take the transfer.
        case handingOver
        case running(TransferID)
        /// The lease is in doubt: the transfer is paused.
        case halted(TransferID)
        /// The daemon is being asked to stop the transfer; then the row is returned.
        case stopping(TransferID, Return)
        /// The end is known, and is being reported to the database; without a transfer if the row could not even be
        /// handed over.
        case reporting(FleetEnd, TransferID?)
        /// The database is being notified that the row has not ended and may go to another member.
        case returning(Return, TransferID?)
        /// Another member has the row: the daemon is being asked to let go of the transfer.
        case losing(TransferID?)
        case over
    }

    package let grant: FleetGrant
    /// Whether its requests may be sent again when their outcome is unknown.
    package let isRepeatable: Bool
    package private(set) var state = State.granted
    /// Whether the lease is in doubt.
    package private(set) var isHalted = false
    /// A wish that arrived while the daemon was about to take the transfer.
    private var wish: FleetWish?

    package init(_ grant: FleetGrant, isRepeatable: Bool) {
        self.grant = grant
        self.isRepeatable = isRepeatable
    }

    /// The transfer that carries it out; nil if the daemon has none.
    package var transfer: TransferID? {
        switch state {
        case .running(let id), .halted(let id), .stopping(let id, _): id
        case .reporting(_, let id), .returning(_, let id), .losing(let id): id
        case .granted, .beginning, .handingOver, .over: nil
        }
    }

    /// Handles an event.
    ///
    /// - Returns: the actions to carry out, in order.
    package mutating func handle(_ event: FleetRowEvent) -> [FleetRowAction] {
        switch event {
        case .start: start()
        case .begun(let isAccepted): begun(isAccepted)
        case .taken(let id): taken(id)
        case .notTaken(let end): notTaken(end)
        case .memory(let number, let bytes, let done): memory(number, bytes, done)
        case .kept(let number, let isAccepted): kept(number, isAccepted)
        case .unkeepable(_, let note): unkeepable(note)
        case .ended(let end): ended(end)
        case .stopped(let mayHaveArrived): stopped(mayHaveArrived)
        case .want(let wish): want(wish)
        case .halt: halt()
        case .goOn: goOn()
        case .lost: lost()
        case .reported(let isAccepted): reported(isAccepted)
        case .returned: returned()
        }
    }

    private mutating func start() -> [FleetRowAction] {
        guard state == .granted, !isHalted else { return [] }
        if isRepeatable {
            state = .handingOver
            return [.handOver]
        }
        state = .beginning
        return [.begin]
    }

    private mutating func begun(_ isAccepted: Bool) -> [FleetRowAction] {
        guard state == .beginning else { return [] }
        guard isAccepted else { return lose(nil) }
        if let wish { return giveBack(wish, nil) }
        state = .handingOver
        return [.handOver]
    }

    private mutating func taken(_ id: TransferID) -> [FleetRowAction] {
        switch state {
        case .handingOver:
            if let wish { return stop(id, for: wish) }
            state = isHalted ? .halted(id) : .running(id)
            return isHalted ? [.pause(id)] : []
        // It was given up in the meantime.
        case .losing(nil):
            state = .losing(id)
            return [.letGo(id)]
        case .granted, .beginning, .running, .halted, .stopping, .reporting, .returning, .losing, .over: return []
        }
    }

    private mutating func notTaken(_ end: FleetEnd) -> [FleetRowAction] {
        switch state {
        case .handingOver:
            // No member may send it again, whatever the wish.
            if let wish, end.result != .unknown { return giveBack(wish, nil) }
            guard end.isOfMachine else {
                state = .reporting(end, nil)
                return [.report(end)]
            }
            let back = Return(after: Self.delay(after: grant.fence), note: end.detail ?? "its member could not take it")
            state = .returning(back, nil)
            return [.giveBack(back)]
        case .losing(nil): return finish()
        case .granted, .beginning, .running, .halted, .stopping, .reporting, .returning, .losing, .over: return []
        }
    }

    /// The dialect waits until this is kept. The database is always asked, since its answer is the fence.
    private mutating func memory(_ number: Int, _ bytes: [UInt8]?, _ done: Int64) -> [FleetRowAction] {
        switch state {
        case .running, .halted, .stopping: [.keep(number: number, bytes, done: done)]
        case .granted, .beginning, .handingOver, .reporting, .returning, .losing, .over: []
        }
    }

    private mutating func kept(_ number: Int, _ isAccepted: Bool) -> [FleetRowAction] {
        switch state {
        case .running(let id): isAccepted ? [.confirm(id, number: number)] : lose(id)
        // The memory is kept, but nothing is sent: once the lease is valid again, the daemon asks anew.
        case .halted(let id): isAccepted ? [] : lose(id)
        case .stopping(let id, _): isAccepted ? [] : lose(id)
        case .granted, .beginning, .handingOver, .reporting, .returning, .losing, .over: []
        }
    }

    /// The request that depends on it must not be sent: the row is stopped here and retried later.
    private mutating func unkeepable(_ note: String) -> [FleetRowAction] {
        switch state {
        case .running(let id), .halted(let id):
            state = .stopping(id, Return(after: Self.delay(after: grant.fence), note: note))
            return [.letGo(id)]
        case .granted, .beginning, .handingOver, .stopping, .reporting, .returning, .losing, .over: return []
        }
    }

    private mutating func ended(_ end: FleetEnd) -> [FleetRowAction] {
        switch state {
        case .running(let id), .halted(let id): return conclude(end, id)
        case .stopping(let id, let back):
            // It ended before it was stopped, unless stopping it was the end.
            guard end.result == .cancelled else { return conclude(end, id) }
            state = .returning(back, id)
            return [.giveBack(back)]
        case .losing(let id?): return finish(id)
        case .granted, .beginning, .handingOver, .reporting, .returning, .losing(nil), .over: return []
        }
    }

    private mutating func conclude(_ end: FleetEnd, _ id: TransferID) -> [FleetRowAction] {
        // An unrepeatable request that may have been sent goes to no other member.
        guard end.isOfMachine, isRepeatable else {
            state = .reporting(end, id)
            return [.report(end)]
        }
        let back = Return(after: Self.delay(after: grant.fence), note: end.detail ?? "its member could not send it")
        state = .returning(back, id)
        return [.giveBack(back)]
    }

    private mutating func stopped(_ mayHaveArrived: Bool) -> [FleetRowAction] {
        let isDoubtful = mayHaveArrived && !isRepeatable
        switch state {
        // Stopping it reveals nothing about a request that was under way.
        case .stopping(let id, _) where isDoubtful, .running(let id) where isDoubtful, .halted(let id) where isDoubtful:
            let detail = "it was stopped after its request may have arrived, which must not be repeated"
            return conclude(FleetEnd(.unknown, detail: detail), id)
        case .stopping(let id, let back):
            state = .returning(back, id)
            return [.giveBack(back)]
        // An earlier process of the member had let go of it.
        case .running(let id), .halted(let id):
            let note = "its member was stopped before it gave the row back"
            let back = Return(after: Self.delay(after: grant.fence), note: note)
            state = .returning(back, id)
            return [.giveBack(back)]
        case .losing(let id?): return finish(id)
        case .granted, .beginning, .handingOver, .reporting, .returning, .losing(nil), .over: return []
        }
    }

    private mutating func want(_ wish: FleetWish) -> [FleetRowAction] {
        switch state {
        case .granted: return giveBack(wish, nil)
        case .beginning, .handingOver:
            self.wish = max(self.wish ?? wish, wish)
            return []
        case .running(let id), .halted(let id): return stop(id, for: wish)
        case .stopping, .reporting, .returning, .losing, .over: return []
        }
    }

    private mutating func stop(_ id: TransferID, for wish: FleetWish) -> [FleetRowAction] {
        state = .stopping(id, wish.back)
        // Only a cancellation should make the server forget what it has.
        return wish == .cancel ? [.cancel(id)] : [.letGo(id)]
    }

    private mutating func giveBack(_ wish: FleetWish, _ id: TransferID?) -> [FleetRowAction] {
        state = .returning(wish.back, id)
        return [.giveBack(wish.back)]
    }

    private mutating func halt() -> [FleetRowAction] {
        guard !isHalted else { return [] }
        isHalted = true
        guard case .running(let id) = state else { return [] }
        state = .halted(id)
        return [.pause(id)]
    }

    private mutating func goOn() -> [FleetRowAction] {
        guard isHalted else { return [] }
        isHalted = false
        switch state {
        case .granted: return start()
        // Every earlier question is repeated, because its answer may be lost. The database applies each only once.
        case .beginning: return [.begin]
        case .halted(let id):
            state = .running(id)
            return [.resume(id)]
        case .reporting(let end, _): return [.report(end)]
        case .returning(let back, _): return [.giveBack(back)]
        case .handingOver, .running, .stopping, .losing, .over: return []
        }
    }

    private mutating func lost() -> [FleetRowAction] {
        switch state {
        case .granted, .beginning: return finish()
        // The daemon may have taken it, which is unknown until it answers.
        case .handingOver:
            state = .losing(nil)
            return []
        case .running(let id), .halted(let id), .stopping(let id, _): return lose(id)
        case .reporting(_, let id): return finish(id)
        case .returning(_, let id): return finish(id)
        case .losing, .over: return []
        }
    }

    private mutating func lose(_ id: TransferID?) -> [FleetRowAction] {
        guard let id else { return finish() }
        state = .losing(id)
        return [.letGo(id)]
    }

    /// The database has answered the report of the end. If it refused, another member must report the end.
    private mutating func reported(_ isAccepted: Bool) -> [FleetRowAction] {
        guard case .reporting(_, let id) = state else { return [] }
        return finish(id)
    }

    private mutating func returned() -> [FleetRowAction] {
        guard case .returning(_, let id) = state else { return [] }
        return finish(id)
    }

    private mutating func finish(_ id: TransferID? = nil) -> [FleetRowAction] {
        state = .over
        return id.map { [.forget($0), .over] } ?? [.over]
    }

    /// Seconds until any member retries a row that was leased so often since a person last restarted it. A restart
    /// raises its fence to a multiple of 1024.
    package static func delay(after fence: Int32) -> Double {
        Backoff(first: 5, longest: 600).delay(after: Int(fence % 1024))  // checked: 1024 is not 0
    }
}
