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
        let complaint = "Error in call to API function \"\(route.rawValue)\": "
        guard call.request.method == "POST" || (call.request.method == "GET" && route == .download) else {
            throw .status(405, "\(complaint)Your request's HTTP request method is \"\(call.request.method)\".\n")
        }
        try checkMediaType(call.request, route, complaint)
        let caller = try authenticate(call.request, route, now)
        try checkAccount(call.request, caller)
        let argument = try argument(call, route, body, complaint)
        return try answer(route, call, argument, body, caller, now)
    }

    private mutating func answer(
        _ route: EmulatorRoute,
        _ call: EmulatorCall,
        _ argument: EmulatorJSON,
        _ body: ReceivedBody,
        _ caller: Caller,
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
        return "Error in call to API function \"\(route.rawValue)\": \(place)"
    }

    private func checkMediaType(
        _ request: EmulatorRequest,
        _ route: EmulatorRoute,
        _ complaint: String
    ) throws(DropboxRefusal) {
        let allowed: [String?] =
            switch route.style {
            case .upload: ["application/octet-stream"]
            case .download: [nil, "", "application/octet-stream", "text/plain"]
            // A route without an argument may come without a body and a type.
            case .rpc: [.revoke, .currentAccount].contains(route) ? ["application/json", nil] : ["application/json"]
            case .oauth, .link: []
            }
        if !allowed.contains(request.mediaType) {
            let expected = allowed.compactMap { $0 }.map { "\"\($0)\"" }.joined(separator: ", ")
            throw .malformed(
                "\(complaint)Bad HTTP \"Content-Type\" header: \"\(request.header("Content-Type") ?? "")\". "
                    + "Expecting one of \(expected)."
            )
        }
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

    /// The argument of a route that has its bytes in the body: a header that is ASCII, or a parameter of the URL.
    mutating func headerArgument(
        _ request: EmulatorRequest,
        _ route: EmulatorRoute
    ) -> Result<EmulatorJSON, DropboxRefusal> {
        let complaint = "Error in call to API function \"\(route.rawValue)\": "
        let text: String
        if let header = request.header("Dropbox-API-Arg") {
            guard header.utf8.allSatisfy({ $0 < 0x80 }) else {
                return .failure(
                    .malformed(
                        "\(complaint)HTTP header \"Dropbox-API-Arg\": could not decode input as JSON (not ASCII)"
                    )
                )
            }
            if header.utf8.contains(0x7F) { record.rawDeleteCharacters += 1 }
            text = header
        } else if let parameter = request.query["arg"] {
            text = parameter
        } else {
            return .failure(
                .malformed("\(complaint)Must provide HTTP header \"Dropbox-API-Arg\" or URL parameter \"arg\".")
            )
        }
        guard let json = EmulatorJSON(parsing: text) else {
            return .failure(.malformed("\(complaint)HTTP header \"Dropbox-API-Arg\": could not decode input as JSON"))
        }
        return .success(json)
    }

    /// The headers that choose a member of a team or a root, which a personal account has one of.
    private func checkAccount(_ request: EmulatorRequest, _ caller: Caller) throws(DropboxRefusal) {
        if request.header("Dropbox-API-Select-User") != nil { throw .unauthorized(.tag("invalid_select_user")) }
        if request.header("Dropbox-API-Select-Admin") != nil { throw .unauthorized(.tag("invalid_select_admin")) }
        guard let text = request.header("Dropbox-API-Path-Root"), let account = accounts[caller.account] else { return }
        guard let root = EmulatorJSON(parsing: text), let tag = root[".tag"].string ?? root.string else {
            throw .malformed("Error in HTTP header \"Dropbox-API-Path-Root\": could not decode input as JSON")
        }
        switch tag {
        case "home": return
        case "root":
            if root["root"].string != account.namespace {
                throw .pathRoot(.tag("invalid_root", nesting: account.rootInfo))
            }
        case "namespace_id":
            if root["namespace_id"].string != account.namespace { throw .pathRoot(.tag("no_permission")) }
        default: throw .malformed("Error in HTTP header \"Dropbox-API-Path-Root\": invalid tag \"\(tag)\"")
        }
    }

    private func check(_ reader: inout ArgumentReader) throws(DropboxRefusal) -> EmulatorReply {
        let query = try reader.optionalString("query") ?? ""
        try reader.end()
        guard query.count <= 500 else { throw reader.refuse("query", "'\(query)' must be at most 500 characters") }
        return .json(["result": .string(query)])
    }
}
