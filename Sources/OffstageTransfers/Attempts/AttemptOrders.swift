// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What a running attempt orders from the engine: its requests, with the properties of the transfer and file that they
/// need.
struct AttemptOrders {
    private let transfer: Transfer
    private let run: AttemptRun
    private let file: AttemptFiles.Opened
    /// Whether all transfers together have a bandwidth limit.
    private let isLimitShared: Bool

    /// The limit of a request until it gets its share, in bytes a second.
    private static let untilShared: Int64 = 1

    /// Nil for a transfer without a running attempt, or one whose file is not open.
    ///
    /// - Parameters:
    ///   - entry: the transfer in memory.
    ///   - isLimitShared: whether all transfers together have a bandwidth limit.
    init?(_ entry: LiveTransfer?, isLimitShared: Bool) {
        guard let entry, let run = entry.run, let file = run.file else { return nil }
        transfer = entry.transfer
        self.run = run
        self.file = file
        self.isLimitShared = isLimitShared
    }

    /// Fetches everything from a given byte.
    ///
    /// - Parameters:
    ///   - offset: the first byte.
    ///   - lane: the attempt's lane.
    ///   - request: the request of the download's dialect; nil for the owner's own.
    /// - Returns: the engine's request.
    func fetch(from offset: Int64, _ lane: Int, _ request: DialectRequest?) -> EngineRequest {
        var order = order(
            lane,
            transfer.spec.of(request),
            from: offset,
            partial: transfer.partial,
            rateLimit: isLimitShared ? Self.untilShared : transfer.spec.rateLimit
        )
        order.usesLargeBuffers = run.usesLargeBuffers
        (order.takesRedirectAsAnswer, order.needsMatch) = (request != nil, request != nil)
        order.heldBehind = file.held.map { max(0, $0.count.subtractingClamped(offset)) } ?? 0
        order.expectedBytes = transfer.spec.expectedBytes
        order.mayDivide = run.attempt.pieces != nil
        order.isInquiry = request?.method == "HEAD"
        order.hasOwnConnection = run.attempt.pieces?.isExpected == true
        return order
    }

    /// Fetches a piece.
    ///
    /// - Parameters:
    ///   - piece: the bytes of the file.
    ///   - lane: the attempt's lane.
    ///   - request: the request of the download's dialect; nil for the owner's own.
    /// - Returns: the engine's request.
    func fetch(_ piece: Range<Int64>, _ lane: Int, _ request: DialectRequest?) -> EngineRequest {
        var order = order(of: piece, lane, transfer.spec.of(request), partial: transfer.partial)
        (order.takesRedirectAsAnswer, order.needsMatch) = (request != nil, request != nil)
        return order
    }

    /// Fetches a piece from another address than the one in use.
    ///
    /// - Parameters:
    ///   - piece: the bytes of the file.
    ///   - lane: the attempt's lane.
    ///   - beside: the address, and what is known of the file there.
    /// - Returns: the engine's request; nil if the transfer does not have that address.
    func fetch(_ piece: Range<Int64>, _ lane: Int, _ beside: PieceBeside) -> EngineRequest? {
        guard let addresses = transfer.spec.mirrors?.addresses, addresses.indices.contains(beside.address) else {
            return nil
        }
        var spec = transfer.spec
        spec.url = addresses[beside.address].url
        var order = order(of: piece, lane, spec.asSent, partial: beside.partial)
        order.expectedBytes = beside.total
        return order
    }

    /// Sends a request of an upload's dialect.
    ///
    /// - Parameters:
    ///   - request: the request, which names its lane.
    ///   - offset: the byte of the source that its body begins with.
    ///   - places: determines where the body of a long response goes.
    /// - Returns: the engine's request.
    func send(_ request: DialectRequest, from offset: Int64, _ places: TransferPlaces) -> EngineRequest {
        // A plain upload's side requests (whether the file exists, or for a folder) are about this very URL.
        let isAside = request.isOwners && request.sourceOffset == nil
        let isOneOfMany = run.attempt.dialect?.lanes ?? 1 > 1
        let needsShare = isLimitShared || isOneOfMany && transfer.spec.rateLimit != nil
        var order = order(
            request.lane,
            transfer.spec.of(request, isAside: isAside),
            from: offset,
            rateLimit: needsShare ? Self.untilShared : transfer.spec.rateLimit
        )
        order.usesLargeBuffers = run.usesLargeBuffers && request.body.count > 1 << 20
        order.bodySpoolPath = transfer.spec.dialect == nil ? places.bodySpoolPath(of: transfer) : nil
        order.body = request.body
        order.countsBody = request.sourceOffset != nil
        order.checksSourceFirst = !request.isOwners
        order.checksSourceAfterwards = !request.provesBody
        order.takesRedirectAsAnswer = !request.isOwners || isAside
        let isSentOnce = transfer.spec.isSentOnce == true
        (order.sendsBodyAgain, order.needsNewConnection) = (request.isOwners && !isSentOnce, isSentOnce)
        order.expectsGoAhead = request.isOwners
        order.hearsInterim = request.hearsInterim
        // Requests over one connection of HTTP/2 would share what the server allows it.
        order.hasOwnConnection = isOneOfMany
        return order
    }

    /// Gives every piece a share of the bandwidth, and its own connection.
    private func order(
        of piece: Range<Int64>,
        _ lane: Int,
        _ spec: TransferSpec,
        partial: PartialDownload?
    ) -> EngineRequest {
        let isLimited = isLimitShared || transfer.spec.rateLimit != nil
        var order = order(
            lane,
            spec,
            from: piece.lowerBound,
            partial: partial,
            rateLimit: isLimited ? Self.untilShared : nil
        )
        order.pieceEnd = piece.upperBound
        order.hasOwnConnection = true
        return order
    }

    private func order(
        _ lane: Int,
        _ spec: TransferSpec,
        from offset: Int64,
        partial: PartialDownload? = nil,
        rateLimit: Int64?
    ) -> EngineRequest {
        var order = EngineRequest(
            id: transfer.id,
            attempt: run.attempt.number,
            lane: lane,
            spec: spec,
            fileDescriptor: file.fileDescriptor,
            filePath: file.path,
            offset: offset,
            partial: partial,
            rateLimit: rateLimit
        )
        order.fileSystems = file.fileSystems
        return order
    }
}
