// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageRuntime

/// One easy handle with the memory that must live as long as it does. It is reused for the next attempt, since creating
/// one costs more than a small file.
///
/// Only the engine's thread touches it.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var placeList: UnsafeMutablePointer<curl_slist>?
    /// Whether libcurl ran out of memory while an option was being set: the request would then be a different one.
    private(set) var lacksMemory = false
    /// Whether libcurl keeps the cookies it receives; a reset does not change this.
    let keepsCookies: Bool

    /// - Parameter keepsCookies: whether a response's cookies are sent with the requests that they apply to, until the
    ///   next `reset`.
    init?(keepsCookies: Bool) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.keepsCookies = keepsCookies
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        curl_slist_free_all(placeList)
        errorText.deallocate()
    }

    /// Clears all options, including authentication and cookies, but keeps the connections.
    func reset() {
        curl_easy_reset(easy)
        lacksMemory = false
        if keepsCookies {
            // One owner's cookies must not go out with another's transfer.
            set(CURLOPT_COOKIELIST, "ALL")
            set(CURLOPT_COOKIEFILE, "")
        }
        curl_slist_free_all(headerList)
        headerList = nil
        curl_slist_free_all(placeList)
        placeList = nil
        errorText.pointee = 0
        offstage_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    /// libcurl's message for its last error; may contain a URL.
    var errorDescription: String { String(cString: errorText) }

    /// Sets the header lines to send (`Name: value`, or `Name;` for an empty value).
    ///
    /// - Returns: false if there is not enough memory for all of them.
    func setHeaders(_ lines: [String]) -> Bool {
        let list = Self.list(lines)
        guard list != nil || lines.isEmpty else { return false }
        // With an empty list libcurl forgets the previous lines: withheld lines must not be sent because nothing
        // replaces them.
        record(offstage_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
        curl_slist_free_all(headerList)
        headerList = list
        return true
    }

    /// Sets where connections to some hosts go (`HOST:PORT:HOST2:PORT2`).
    ///
    /// - Returns: false if there is not enough memory for all of them.
    func setConnectTo(_ places: [String]) -> Bool {
        let list = Self.list(places)
        guard list != nil || places.isEmpty else { return false }
        record(offstage_curl_set_list(easy, CURLOPT_CONNECT_TO, list))
        curl_slist_free_all(placeList)
        placeList = list
        return true
    }

    /// Builds a list; nil if there are no lines, or not enough memory for all of them.
    private static func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var first: UnsafeMutablePointer<curl_slist>?
        var last: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // Appended to the last node: libcurl walks to the end from the node that it is given.
            guard let appended = curl_slist_append(last, line) else {
                curl_slist_free_all(first)
                return nil
            }
            last = last == nil ? appended : appended.pointee.next
            first = first ?? appended
        }
        return first
    }

    private func record(_ code: CURLcode) {
        if code == CURLE_OUT_OF_MEMORY { lacksMemory = true }
    }

    func set(_ option: CURLoption, _ value: Int) {
        record(offstage_curl_set_long(easy, option, value))
    }

    func set(_ option: CURLoption, _ value: Bool) {
        offstage_curl_set_long(easy, option, value ? 1 : 0)
    }

    func setOffset(_ option: CURLoption, _ value: Int64) {
        // checked: the same type by another name
        offstage_curl_set_offset(easy, option, curl_off_t(value))
    }

    func set(_ option: CURLoption, _ value: String) {
        record(offstage_curl_set_string(easy, option, value))
    }

    /// Resets an option to its default.
    func unset(_ option: CURLoption) {
        offstage_curl_set_string(easy, option, nil)
    }

    /// Resumes after a callback requested a pause; may call that callback immediately.
    func resume() {
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Pauses receiving. Called from within a callback, it ends libcurl's run of reads.
    func pauseReceiving() {
        curl_easy_pause(easy, CURLPAUSE_RECV)
    }

    /// Notifies an attempt of a body's arriving bytes, before libcurl extracts the content from its chunks.
    func reportArrivals(to attempt: CurlAttempt) {
        offstage_curl_set_debug_callback(easy, Self.onArrival)
        offstage_curl_set_pointer(easy, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(attempt).toOpaque())
        set(CURLOPT_VERBOSE, true)
    }

    func offset(of info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        offstage_curl_get_offset(easy, info, &value)
        return Int64(value)  // checked: the same type by another name
    }

    func long(of info: CURLINFO) -> Int {
        var value = 0
        offstage_curl_get_long(easy, info, &value)
        return value
    }

    func string(of info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        offstage_curl_get_string(easy, info, &value)
        return value.map { String(cString: $0) }
    }

    /// Connects libcurl's callbacks to an attempt, which must outlive the transfer: it is not retained, to spare the
    /// callbacks reference counting.
    func setCallbacks(_ attempt: CurlAttempt) {
        let context = Unmanaged.passUnretained(attempt).toOpaque()
        offstage_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, Self.onHeader)
        offstage_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        offstage_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, Self.onBody)
        offstage_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        offstage_curl_set_data_callback(easy, CURLOPT_READFUNCTION, Self.onRead)
        offstage_curl_set_pointer(easy, CURLOPT_READDATA, context)
        offstage_curl_set_progress_callback(easy, Self.onRound)
        offstage_curl_set_pointer(easy, CURLOPT_XFERINFODATA, context)
        offstage_curl_set_long(easy, CURLOPT_NOPROGRESS, 0)
        offstage_curl_set_seek_callback(easy, Self.onSeek)
        offstage_curl_set_pointer(easy, CURLOPT_SEEKDATA, context)
        offstage_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
    }

    /// Sets a callback that receives the TLS library's context of every new connection.
    func setTLSCallback(_ callback: curl_ssl_ctx_callback, _ context: UnsafeMutableRawPointer) {
        offstage_curl_set_tls_callback(easy, callback, context)
    }

    private static let onHeader: offstage_curl_data_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        return Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { attempt in
            Doing.transfer(attempt.request.id, .attempt) {
                // checked: a size of one, and bytes in memory
                attempt.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
        }
    }

    private static let onBody: offstage_curl_data_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        return Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { attempt in
            let before = Doing.begin(attempt.request.id, .attempt)
            defer { Doing.end(before) }
            // checked: a size of one, and bytes in memory
            return attempt.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    private static let onArrival: offstage_curl_debug_callback = { _, kind, _, count, context in
        guard kind == CURLINFO_DATA_IN, let context else { return 0 }
        Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receiveChunks(count) }
        return 0
    }

    private static let onRead: offstage_curl_data_callback = { bytes, size, count, context in
        guard let bytes, let context else { return Int(CURL_READFUNC_ABORT) }
        return Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { attempt in
            let before = Doing.begin(attempt.request.id, .attempt)
            defer { Doing.end(before) }
            // checked: a size of one, and bytes in memory
            return attempt.readSource(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
    }

    private static let onRound: offstage_curl_progress_callback = { context, _, _, _, _ in
        guard let context else { return 1 }
        return Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.comeRound() ? 0 : 1 }
    }

    private static let onSeek: offstage_curl_seek_callback = { context, offset, origin in
        guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
        return Unmanaged<CurlAttempt>.fromOpaque(context)._withUnsafeGuaranteedRef { attempt in
            Doing.transfer(attempt.request.id, .attempt) {
                // checked: the same type by another name
                attempt.rewindSource(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            }
        }
    }
}
