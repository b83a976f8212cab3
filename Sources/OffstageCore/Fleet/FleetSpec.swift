// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A specification as stored in a fleet's database: a text that any reader of the database may see, and separately the
/// values that may be secret, which are sealed. The seal covers the text byte for byte, so neither can be combined with
/// another.
package struct FleetSpec: Sendable, Equatable {
    /// JSON without secrets.
    package let open: String
    /// JSON, to be sealed; nil if there is nothing secret.
    package let secrets: [UInt8]?

    /// Bytes of each part; the database's own limit. Otherwise a submitter could fill the memory of a member, which
    /// takes several hundred rows at once.
    package static let longest = 1 << 16
    /// Bytes of the sealed secrets; the database's own limit.
    package static let longestSealed = longest + 1024  // checked: constants
    /// Values in the JSON of each part.
    private static let mostValues = 100_000

    package init(open: String, secrets: [UInt8]?) {
        self.open = open
        self.secrets = secrets
    }

    /// The values of a specification that may be secret, each complete and unchanged.
    private struct Secrets: Codable, Equatable {
        var url: RequestURL?
        var headers: [HeaderField]?
        var user: String?
        var password: String?
        var proxy: ProxyEnvironment?
        var form: FormBody?
        var parameters: String?
    }

    /// Splits a specification.
    ///
    /// - Throws: `RequestError` if it is too large, `EncodingError` for a number that JSON cannot express.
    package init(_ spec: TransferSpec) throws {
        var open = spec
        var secrets = Secrets()
        // Only the server is revealed, which the fleet's lanes and limits contain anyway.
        if spec.url.description != spec.url.unredacted {
            secrets.url = spec.url
            open.url = try RequestURL("\(spec.url.hostURL)/")
        }
        if spec.headers.contains(where: { !HarmlessHeaders.isShown($0.name) }) {
            secrets.headers = spec.headers
            open.headers.removeAll { !HarmlessHeaders.isShown($0.name) }
        }
        (secrets.user, secrets.password) = (spec.credentials?.user, spec.credentials?.password)
        open.credentials = nil
        if [spec.proxy.http, spec.proxy.https, spec.proxy.all].contains(where: { $0?.contains("@") == true }) {
            secrets.proxy = spec.proxy
            open.proxy = ProxyEnvironment()
        }
        if case .form(let form) = spec.direction, form.parts.contains(where: \.isValue) {
            secrets.form = form
            open.direction = .form(form.withoutValues)
        }
        // Only the dialect knows the contents: a server's metadata sometimes contain tokens.
        if let parameters = spec.dialect?.parameters, parameters != "{}" {
            secrets.parameters = parameters
            open.dialect?.parameters = "{}"
        }
        self.open = String(decoding: try open.json(), as: UTF8.self)
        self.secrets = secrets == Secrets() ? nil : Array(try JSONEncoder().encode(secrets))
        guard self.open.utf8.count <= Self.longest, (self.secrets?.count ?? 0) <= Self.longest else {
            throw RequestError.invalidValue(
                "A fleet takes no more than \(Self.longest) bytes of headers and other settings for a file"
            )
        }
    }

    /// The original specification.
    ///
    /// - Throws: `RequestError` for parts that do not belong together, or that no fleet can have; `DecodingError` and
    ///   `JSONShape.Problem` for anything else.
    package func joined() throws -> TransferSpec {
        guard open.utf8.count <= Self.longest, (secrets?.count ?? 0) <= Self.longest else {
            throw RequestError.invalidValue("The specification is too long")
        }
        var spec = try ForeignJSON.decode(TransferSpec.self, from: open.utf8, values: Self.mostValues)
        guard let secrets else { return spec }
        let secret = try ForeignJSON.decode(Secrets.self, from: secrets, values: Self.mostValues)
        if let url = secret.url {
            guard url.hasOrigin(of: spec.url) else { throw Self.strangers }
            spec.url = url
        }
        if let headers = secret.headers { spec.headers = headers }
        if secret.user != nil || secret.password != nil {
            spec.credentials = .init(user: secret.user ?? "", password: secret.password ?? "")
        }
        if let proxy = secret.proxy { spec.proxy = proxy }
        if let form = secret.form {
            guard case .form(let open) = spec.direction, form.sources == open.sources else { throw Self.strangers }
            spec.direction = .form(form)
        }
        if let parameters = secret.parameters {
            guard spec.dialect != nil else { throw Self.strangers }
            spec.dialect?.parameters = parameters
        }
        return spec
    }

    private static var strangers: RequestError {
        .invalidValue("The specification and its secrets do not belong together")
    }
}

extension RequestURL {
    /// The server alone, with nothing that a person has written.
    fileprivate var hostURL: String { "\(scheme)://\(hostKey)" }
}

extension FormBody {
    /// The form, with all its fields empty.
    fileprivate var withoutValues: FormBody {
        var form = self
        form.parts = parts.map { part in
            var part = part
            if part.isValue { part.content = .value("") }
            return part
        }
        return form
    }
}

extension FormBody.Part {
    fileprivate var isValue: Bool { if case .value = content { true } else { false } }
}
