// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
package import OffstageCore
package import OffstageProtocol

/// The operation that an admitted request asks for.
package enum PageCall: Sendable {
    case file(PageFile)
    case news
    case list(TransferQuery)
    case show(TransferID)
    case state
    case lines
    case apps
    case app(String)
    case tasks
    case accounts
    case findings
    case fleet(FleetQuestion)
    case metrics
    /// The timeline of the last `seconds`, and a quarter of that into the future.
    case timeline(seconds: Double)
    case act(ActOnTransfers.Verb, ActOnTransfers.Selection)
    case limit(TransferID?, Int64?)
    /// Starts a daemon.
    case start

    /// - Parameters:
    ///   - request: an admitted request.
    ///   - body: the body of a POST.
    /// - Throws: `PageRefusal` for a request that matches no operation.
    package init(_ request: PageRequest, body: [UInt8]) throws(PageRefusal) {
        self = try request.method == "POST" ? .change(request.path, body) : .question(request)
    }

    private static func question(_ request: PageRequest) throws(PageRefusal) -> PageCall {
        if let file = PageFile.at(request.path) { return .file(file) }
        switch request.path {
        case PageGuard.metrics: return .metrics
        case "/api/news": return .news
        case "/api/list": return .list(try query(request.query))
        case "/api/show": return .show(try id(request.query["id"]))
        case "/api/state": return .state
        case "/api/lines": return .lines
        case "/api/apps": return .apps
        case "/api/app":
            guard let app = request.query["id"], !app.isEmpty else { throw .content }
            return .app(app)
        case "/api/tasks": return .tasks
        case "/api/accounts": return .accounts
        case "/api/findings": return .findings
        case "/api/timeline":
            guard let text = request.query["seconds"], let seconds = Quantity.count(text),
                PageBounds.period.contains(seconds)
            else { throw .content }
            return .timeline(seconds: Double(seconds))
        case let path where path.hasPrefix(fleetPath):
            return .fleet(try FleetQuestion(path.dropFirst(fleetPath.count), request.query))
        default: throw .notFound
        }
    }

    private static let fleetPath = "/api/fleet/"

    /// The requested part of the list.
    private static func query(_ fields: [String: String]) throws(PageRefusal) -> TransferQuery {
        var query = TransferQuery(limit: PageBounds.rows)
        for word in fields["state"]?.split(separator: ",").map(String.init) ?? [] {
            if let kind = TransferState.Kind(rawValue: word) {
                query.kinds = (query.kinds ?? []) + [kind]
            } else if let result = TransferQuery.Result(rawValue: word) {
                query.results = (query.results ?? []) + [result]
            } else {
                throw .content
            }
        }
        if let owner = fields["owner"], !owner.isEmpty { query.owner = owner }
        if let text = fields["text"], !text.isEmpty { query.text = text }
        if fields["before"] != nil { query.before = try id(fields["before"]) }
        if let text = fields["after"] { query.after = try text == "0" ? TransferID(rawValue: 0) : id(text) }
        if let text = fields["limit"] {
            guard let limit = Quantity.count(text), limit > 0 else { throw .content }
            query.limit = min(limit, PageBounds.rows)
        }
        return query
    }

    private static func id(_ text: String?) throws(PageRefusal) -> TransferID {
        guard let text, let number = Int64(digits: text), number > 0 else { throw .content }
        return TransferID(rawValue: number)
    }

    private struct Act: Decodable {
        var verb: String
        var ids: [Int64]?
        var all: Bool?
    }

    private struct Limit: Decodable {
        var id: Int64?
        /// As on the command line: `2M`, `none`.
        var speed: String
    }

    private static func change(_ path: String, _ body: [UInt8]) throws(PageRefusal) -> PageCall {
        switch path {
        case "/api/act":
            let order: Act = try decoded(body)
            guard let verb = ActOnTransfers.Verb(rawValue: order.verb) else { throw .content }
            if order.all == true, order.ids == nil { return .act(verb, .all) }
            let limit = WatchTransfers.idLimit
            guard let ids = order.ids, !ids.isEmpty, ids.count <= limit, ids.allSatisfy({ $0 > 0 }) else {
                throw .content
            }
            return .act(verb, .ids(ids.map(TransferID.init(rawValue:))))
        case "/api/limit":
            let order: Limit = try decoded(body)
            let id: TransferID? = order.id.map { TransferID(rawValue: $0) }
            if ["none", "0"].contains(order.speed) { return .limit(id, nil) }
            guard let bytes = Quantity.bytes(order.speed), bytes > 0 else { throw .content }
            return .limit(id, bytes)
        case "/api/start": return .start
        default: throw .notFound
        }
    }

    private static let mostValues = 4 * WatchTransfers.idLimit  // checked: a constant

    /// Decodes a body with a limited number of values.
    private static func decoded<Value: Decodable>(_ body: [UInt8]) throws(PageRefusal) -> Value {
        do {
            return try WireCoding.decode(Value.self, from: body, values: mostValues)
        } catch {
            throw .content
        }
    }
}
