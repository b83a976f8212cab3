// SPDX-License-Identifier: Apache-2.0

/// Why a call fails, in the shapes of Dropbox's errors.
enum DropboxRefusal: Error, Sendable {
    /// 400 in plain text: the request is malformed.
    case malformed(String)
    /// 400 in OAuth's JSON.
    case oauth(error: String, description: String)
    /// 401: a member of AuthError.
    case unauthorized(EmulatorJSON)
    /// 409: a member of the route's own union.
    case route(EmulatorJSON)
    /// 422: a member of PathRootError.
    case pathRoot(EmulatorJSON)
    /// Another status in plain text.
    case status(Int, String)

    /// The answer, with dots after the tags in `error_summary`, which clients must not parse.
    func reply(dots: String) -> EmulatorReply {
        switch self {
        case .malformed(let text): .text(text, status: 400)
        case .oauth(let error, let description):
            .json(["error": .string(error), "error_description": .string(description)], status: 400)
        case .unauthorized(let error): Self.envelope(error, status: 401, dots: dots)
        case .route(let error): Self.envelope(error, status: 409, dots: dots)
        case .pathRoot(let error): Self.envelope(error, status: 422, dots: dots)
        case .status(let status, let text): .text(text, status: status)
        }
    }

    static func envelope(_ error: EmulatorJSON, status: Int, dots: String) -> EmulatorReply {
        let summary = tags(of: error).joined(separator: "/") + "/" + dots
        return .json(["error_summary": .string(summary), "error": error], status: status)
    }

    /// The tags, outermost first. A struct among them (`path` of files/upload) has its union in `reason`.
    private static func tags(of error: EmulatorJSON) -> [String] {
        guard let tag = error[".tag"].string else {
            return error["reason"].object == nil ? [] : tags(of: error["reason"])
        }
        let inner = error[tag].object == nil ? error["reason"] : error[tag]
        return [tag] + (inner.object == nil ? [] : tags(of: inner))
    }
}
