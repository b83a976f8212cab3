// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// The state that libcurl's callbacks read and change while a token request runs, on the request's thread only.
final class TokenExchange {
    private(set) var body: [UInt8] = []
    private(set) var headers: [HeaderField] = []
    private var headerBytes = 0
    private(set) var isTooLong = false
    private let isCancelled: @Sendable () -> Bool

    /// The longest accepted answer, in bytes.
    private let limit: Int
    /// The maximum size of the kept header fields, in bytes.
    private static let headerLimit = 16_384

    init(limit: Int, isCancelled: @escaping @Sendable () -> Bool) {
        self.limit = limit
        self.isCancelled = isCancelled
    }

    /// Sets the handle's callbacks. The handle does not retain this object.
    func connect(to handle: CurlHandle) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        offstage_curl_set_data_callback(handle.easy, CURLOPT_WRITEFUNCTION, Self.onBody)
        offstage_curl_set_pointer(handle.easy, CURLOPT_WRITEDATA, context)
        offstage_curl_set_data_callback(handle.easy, CURLOPT_HEADERFUNCTION, Self.onHeader)
        offstage_curl_set_pointer(handle.easy, CURLOPT_HEADERDATA, context)
        offstage_curl_set_progress_callback(handle.easy, Self.onProgress)
        offstage_curl_set_pointer(handle.easy, CURLOPT_XFERINFODATA, context)
        handle.set(CURLOPT_NOPROGRESS, false)
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= limit else {
            isTooLong = true
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    /// Keeps a header field, up to the limit, and skips other lines, such as the status line. Each status line begins
    /// another answer: after an interim answer, or one that asks for a password.
    private func receiveHeader(_ bytes: UnsafeRawBufferPointer) {
        headerBytes = headerBytes.addingClamped(bytes.count)
        let line = String(decoding: bytes.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
        if line.hasPrefix("HTTP/") { (headers, headerBytes) = ([], 0) }
        guard headerBytes <= Self.headerLimit, let field = try? HeaderField(parsing: line) else { return }
        headers.append(field)
    }

    private static let onHeader: offstage_curl_data_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        Unmanaged<TokenExchange>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        return size * count
    }

    private static let onBody: offstage_curl_data_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        return Unmanaged<TokenExchange>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// Continues once the whole answer has arrived: libcurl then calls this once more.
    private static let onProgress: offstage_curl_progress_callback = { context, total, received, _, _ in
        guard let context else { return 1 }
        if total > 0, received >= total { return 0 }
        return Unmanaged<TokenExchange>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.isCancelled() ? 1 : 0 }
    }
}
