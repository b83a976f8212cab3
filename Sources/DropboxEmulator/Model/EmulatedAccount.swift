// SPDX-License-Identifier: Apache-2.0

/// A person's account with its files and folders.
struct EmulatedAccount: Sendable {
    struct Folder: Sendable {
        var path: DropboxPath
        var id: String
    }

    let name: String
    /// 40 characters.
    let id: String
    let uid: String
    /// The number of its only namespace.
    let namespace: String
    /// Files by their lower-case paths.
    var files: [String: EmulatedFile] = [:]
    var folders: [String: Folder] = [:]
    /// The number of revisions so far.
    var revisions: UInt64 = 0

    init(name: String, random: inout SeededNumbers) {
        self.name = name
        id = "dbid:" + random.name(35)
        uid = String(random.next() % 900_000_000 + 100_000_000)
        namespace = String(random.next() % 9_000_000_000 + 1_000_000_000)
    }

    var usedBytes: Int64 { files.values.reduce(0) { $0 + $1.size } }

    var rootInfo: EmulatorJSON {
        .tag("user", ["root_namespace_id": .string(namespace), "home_namespace_id": .string(namespace)])
    }

    /// FullAccount.
    var description: EmulatorJSON {
        [
            "account_id": .string(id),
            "name": [
                "given_name": .string(name), "surname": "Emulated", "familiar_name": .string(name),
                "display_name": .string("\(name) Emulated"), "abbreviated_name": "EM",
            ],
            "email": .string("\(name)@example.com"), "email_verified": true, "disabled": false, "country": "IE",
            "locale": "en", "referral_link": "https://example.com/referral", "is_paired": false,
            "account_type": .tag("basic"), "root_info": rootInfo,
        ]
    }

    /// The entry at a readable path: `/…`, `id:…`, `rev:…`, `ns:…` or empty for the root.
    func find(_ text: String) -> Found {
        if text.hasPrefix("id:") || text.hasPrefix("rev:") {
            let file = files.values.first { $0.id == text || "rev:\($0.rev)" == text }
            if let file { return .file(file) }
            return folders.values.first { $0.id == text }.map { .folder($0) } ?? .nothing
        }
        var rest = text
        if let (id, inner) = DropboxPath.namespace(of: text) {
            guard id == namespace else { return .nothing }
            rest = inner
        }
        guard rest.isEmpty || rest.hasPrefix("/"), let path = try? DropboxPath(rest) else { return .malformed }
        if path.display.isEmpty { return .root }
        if let file = files[path.key] { return .file(file) }
        return folders[path.key].map { .folder($0) } ?? .nothing
    }

    /// Checks the headers that select a team member or a root; a personal account has one root.
    static func check(_ request: EmulatorRequest, _ account: EmulatedAccount?) throws(DropboxRefusal) {
        if request.header("Dropbox-API-Select-User") != nil { throw .unauthorized(.tag("invalid_select_user")) }
        if request.header("Dropbox-API-Select-Admin") != nil { throw .unauthorized(.tag("invalid_select_admin")) }
        guard let text = request.header("Dropbox-API-Path-Root"), let account else { return }
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

    enum Found {
        case file(EmulatedFile)
        case folder(Folder)
        case root
        case nothing
        case malformed
    }
}
