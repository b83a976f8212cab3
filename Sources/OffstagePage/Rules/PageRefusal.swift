// SPDX-License-Identifier: Apache-2.0

/// Why a request is refused.
package enum PageRefusal: String, Error, Sendable, Equatable, CaseIterable {
    case method
    /// The request is for another host name, such as a DNS name that resolves to 127.0.0.1.
    case host
    /// It comes from another site, or from a page at another port.
    case origin
    /// It would install a script that keeps running without the page.
    case worker
    /// It has no cookie of this process.
    case cookie
    /// It has no token for the metrics, or a wrong one.
    case token
    /// Its link was already used, or never existed.
    case link
    /// A change that was not requested by a script of this page, but by a form, for example.
    case form
    case tooLong
    case notFound
    /// Its content is invalid.
    case content
    /// Too many requests are under way.
    case busy

    package var status: UInt32 {
        switch self {
        case .method: 405
        case .host: 421
        case .origin, .worker, .link, .form: 403
        case .cookie, .token: 401
        case .tooLong: 413
        case .notFound: 404
        case .content: 400
        case .busy: 503
        }
    }

    /// The reason as a sentence for people. It reveals nothing about transfers or secrets.
    package var sentence: String {
        switch self {
        case .method: "Only GET and POST are supported."
        case .host: "This page is not served under that name."
        case .origin: "This page is not served to other sites."
        case .worker: "This page has no workers."
        case .cookie: "This page is opened by its link: run 'offstage page' in a terminal."
        case .token: "The token for the metrics is wrong: use the one in the file that --metrics-token names."
        case .link: "This link has been used, or belongs to a page that has ended: run 'offstage page' for a new one."
        case .form: "Only the page itself may make changes."
        case .tooLong: "The request is too long."
        case .notFound: "There is nothing at this address."
        case .content: "The request makes no sense."
        case .busy: "Too much is under way: try again shortly."
        }
    }
}
