// SPDX-License-Identifier: Apache-2.0

/// From a request to the call of a route: method, media type, token, permission, account, argument.
extension EmulatedDropbox {
    mutating func answer(
        _ call: EmulatorCall,
        _ body: ReceivedBody,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorReply {
        guard let route = call.route else {
            guard call.request.path.hasPrefix("/2/") else { throw .status(404, "There is nothing here.\n") }
            throw .malformed("Unknown API function: \"\(call.request.path.dropFirst(3))\"")
        }
        switch route {
        case .authorize: return try authorize(call.request, now)
        case .token: return try token(call.request, body.bytes, now)
        case .temporaryUpload: return try uploadByLink(call.request, body, now)
        default: break
        }
        let complaint = route.complaint
        guard call.request.method == "POST" || (call.request.method == "GET" && route == .download) else {
            throw .status(405, "\(complaint)Your request's HTTP request method is \"\(call.request.method)\".\n")
        }
        try route.checkMediaType(call.request)
        let caller = try oauth.authenticate(call.request, route, now)
        try EmulatedAccount.check(call.request, accounts[caller.account])
        let argument = try argument(call, route, body, complaint)
        return try answer(route, call, argument, body, caller, now)
    }

    private mutating func answer(
        _ route: EmulatorRoute,
        _ call: EmulatorCall,
        _ argument: EmulatorJSON,
        _ body: ReceivedBody,
        _ caller: EmulatedOAuth.Caller,
        _ now: Double
    ) throws(DropboxRefusal) -> EmulatorReply {
        if route == .revoke { return try revoke(caller, argument) }
        if route == .currentAccount {
            guard argument == .null else {
                throw .malformed("\(Self.complaint(route))expected null, got \(argument.kind)")
            }
            return .json(accounts[caller.account]?.description ?? .null)
        }
        var reader = try ArgumentReader(argument, complaint: Self.complaint(route))
        switch route {
        case .authorize, .token, .revoke, .currentAccount, .temporaryUpload: return .json(.null)
        case .checkUser, .checkApp: return try check(&reader)
        case .upload: return .json(try upload(&reader, call, body, caller.account, now))
        case .start: return .json(try start(&reader, call, body, caller.account, now))
        case .startBatch: return .json(try startBatch(&reader, caller.account, now))
        case .append: return .json(try append(&reader, call, body, caller.account))
        case .appendBatch: return .json(try appendBatch(&reader, call, body, caller.account))
        case .finish: return .json(try finish(&reader, call, body, caller.account, now))
        case .finishBatch: return .json(try finishBatch(&reader, caller.account, now))
        case .finishBatchCheck: return .json(try finishBatchCheck(&reader))
        case .finishBatchV2: return .json(["entries": .array(try finishAll(&reader, caller.account, now))])
        case .temporaryLink: return .json(try makeLink(&reader, caller.account, now))
        case .getMetadata: return .json(try getMetadata(&reader, caller.account))
        case .download: return try download(&reader, call.request, caller.account)
        }
    }

    private static func complaint(_ route: EmulatorRoute) -> String {
        let place = route.style == .rpc ? "request body: " : "HTTP header \"Dropbox-API-Arg\": "
        return route.complaint + place
    }

    private func argument(
        _ call: EmulatorCall,
        _ route: EmulatorRoute,
        _ body: ReceivedBody,
        _ complaint: String
    ) throws(DropboxRefusal) -> EmulatorJSON {
        guard route.style == .rpc else { return try call.argument.get() }
        if body.bytes.isEmpty, [.revoke, .currentAccount].contains(route) { return .null }
        guard let json = EmulatorJSON(parsing: body.bytes) else {
            throw .malformed("\(complaint)request body: could not decode input as JSON")
        }
        return json
    }

    private func check(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> EmulatorReply {
        let query = try reader.optionalString("query") ?? ""
        try reader.end()
        guard query.count <= 500 else { throw reader.refuse("query", "'\(query)' must be at most 500 characters") }
        return .json(["result": .string(query)])
    }
}
