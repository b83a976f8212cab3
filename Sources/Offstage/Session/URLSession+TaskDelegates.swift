// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Calls that take a delegate for one task. A background session ignores that delegate: its own delegate and the caller
/// receive the task's events, and a line on standard error points this out, once. In a foreground session the calls are
/// FoundationNetworking's.
extension URLSession {
    /// Returns whether this is a background session. If a delegate was passed, prints the hint that it is not called,
    /// once.
    private func isBackground(_ delegate: (any URLSessionTaskDelegate)?) -> Bool {
        guard self is BackgroundURLSession else { return false }
        if delegate != nil { Hint.taskDelegate.give() }
        return true
    }

    /// Like `data(for:)`.
    public func data(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        if isBackground(delegate) { return try await data(for: request) }
        return try await data(
            for: request,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }

    /// Like `data(from:)`.
    public func data(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        if isBackground(delegate) { return try await data(from: url) }
        return try await data(
            from: url,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }

    /// Like `upload(for:fromFile:)`.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        if isBackground(delegate) { return try await upload(for: request, fromFile: fileURL) }
        return try await upload(
            for: request,
            fromFile: fileURL,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }

    /// Like `upload(for:from:)`.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        if isBackground(delegate) { return try await upload(for: request, from: bodyData) }
        return try await upload(
            for: request,
            from: bodyData,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }

    /// Like `download(for:)`.
    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        if isBackground(delegate) { return try await download(for: request) }
        return try await download(
            for: request,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }

    /// Like `download(from:)`.
    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        if isBackground(delegate) { return try await download(from: url) }
        return try await download(
            from: url,
            delegate: delegate as (any FoundationNetworking.URLSessionTaskDelegate)?
        )
    }
}
