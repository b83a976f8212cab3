// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// The settings that a session took from its configuration when it was created.
struct SessionSettings: Sendable {
    let identifier: String
    /// `httpAdditionalHeaders`, for requests that do not set these fields themselves.
    let additionalHeaders: [HeaderField]
    let idleTimeout: Double
    let overallTimeout: Double
    let connectionsPerHost: Int
    let proxy: ProxyEnvironment
    let sendsLaunchEvents: Bool
    /// The network and time conditions.
    let needs: TransferNeeds
    /// Nil if cookies are not handled.
    let cookies: HTTPCookieStorage?
    let setsCookies: Bool
    let cookiePolicy: HTTPCookie.AcceptPolicy
    let credentials: URLCredentialStorage?

    /// The default of `URLRequest`: any other value was set explicitly.
    private static let defaultTimeout: Double = 60

    init(_ configuration: URLSessionConfiguration, environment: [String: String]) {
        identifier = configuration.identifier ?? ""
        additionalHeaders = (configuration.httpAdditionalHeaders ?? [:])
            .map { HeaderField(name: "\($0.key)", value: "\($0.value)") }
            .sorted { $0.name < $1.name }
        idleTimeout = configuration.timeoutIntervalForRequest
        overallTimeout = configuration.timeoutIntervalForResource
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        proxy = ProxySettings.proxies(configuration.connectionProxyDictionary, environment: environment)
        sendsLaunchEvents = configuration.sessionSendsLaunchEvents
        var needs: TransferNeeds = []
        if !configuration.allowsCellularAccess { needs.insert(.noCellular) }
        if !configuration.allowsExpensiveNetworkAccess { needs.insert(.noExpensive) }
        if !configuration.allowsConstrainedNetworkAccess { needs.insert(.noConstrained) }
        if configuration.isDiscretionary { needs.insert(.goodMoment) }
        self.needs = needs
        cookies = configuration.httpCookieStorage
        setsCookies = configuration.httpShouldSetCookies
        cookiePolicy = configuration.httpCookieAcceptPolicy
        credentials = configuration.urlCredentialStorage
    }

    /// The header fields to send with a request.
    func headers(of request: URLRequest) -> [HeaderField] {
        var fields: [HeaderField] = []
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            fields.append(HeaderField(name: name, value: value))
        }
        fields.sort { $0.name < $1.name }
        for field in additionalHeaders where fields[field.name] == nil { fields.append(field) }
        if fields["Cookie"] == nil {
            for (name, value) in cookieFields(of: request) { fields.append(HeaderField(name: name, value: value)) }
        }
        return fields
    }

    /// The header fields for the cookies stored for a request.
    private func cookieFields(of request: URLRequest) -> [String: String] {
        guard setsCookies, request.httpShouldHandleCookies, let url = request.url,
            let stored = cookies?.cookies(for: url), !stored.isEmpty
        else { return [:] }
        return HTTPCookie.requestHeaderFields(with: stored)
    }

    /// Prepares a request for the target of a redirect, with that target's cookies: FoundationNetworking adds none if a
    /// session has a delegate.
    ///
    /// - Parameters:
    ///   - request: the request that FoundationNetworking would send, with all fields of the previous one.
    ///   - former: the URL of the previous request.
    /// - Returns: a request without anything meant only for the previous URL.
    func redirected(_ request: URLRequest, from former: URL?) -> URLRequest {
        var request = request
        if Self.origin(of: request.url) != Self.origin(of: former) {
            for name in request.allHTTPHeaderFields?.keys.map(\.self) ?? [] where !HarmlessHeaders.travels(name) {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        for (name, value) in cookieFields(of: request) { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private static func origin(of url: URL?) -> String? {
        guard let url = url.flatMap({ try? RequestURL($0.absoluteString) }) else { return nil }
        return "\(url.scheme)://\(url.hostKey)"
    }

    /// Whether cookies set by redirects must be ignored, too.
    func refusesCookies(of request: URLRequest) -> Bool {
        !setsCookies || !request.httpShouldHandleCookies || cookies == nil || cookiePolicy == .never
    }

    /// The request from which a previous process created a task, as far as its specification shows.
    func request(of spec: TransferSpec) -> URLRequest? {
        guard let url = URL(string: spec.url.unredacted) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = spec.method
        if spec.needs.contains(.noCellular), !needs.contains(.noCellular) { request.allowsCellularAccess = false }
        if spec.idleTimeout != idleTimeout { request.timeoutInterval = spec.idleTimeout }
        let added = Set(additionalHeaders)
        for field in spec.headers where !added.contains(field) && !(setsCookies && field.name == "Cookie") {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }

    /// A request can be stricter than its session, but not less strict.
    func needs(of request: URLRequest) -> TransferNeeds {
        request.allowsCellularAccess ? needs : needs.union(.noCellular)
    }

    func idleTimeout(of request: URLRequest) -> Double {
        request.timeoutInterval == Self.defaultTimeout ? idleTimeout : request.timeoutInterval
    }

    /// Stores the cookies of a response.
    func storeCookies(of response: HTTPURLResponse) {
        guard let cookies, cookiePolicy != .never, let url = response.url else { return }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
        let received = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        if !received.isEmpty { cookies.setCookies(received, for: url, mainDocumentURL: nil) }
    }
}
