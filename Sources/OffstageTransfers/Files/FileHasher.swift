// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc
import OffstageCore

/// Computes the SHA-256 of an open file, read in pieces.
package enum FileHasher {
    package enum HashError: Error, Equatable {
        case cancelled
        /// The errno of the failed read.
        case unreadable(Int32)
        /// The file has fewer bytes than expected.
        case endsEarly
        case libraryFailed

        /// The description of the error for use in a sentence.
        var sentence: String {
            switch self {
            case .cancelled: "it was interrupted"
            case .unreadable(let code): String(cString: strerror(code))
            case .endsEarly: "it is shorter than it was"
            case .libraryFailed: "libcrypto failed"
            }
        }
    }

    /// Bytes per read: large enough to make reads cheap, and small enough to notice a cancellation soon.
    static let bufferSize = 262_144

    /// Hashes a file from its first byte to its end; takes about a second for every 2 GB.
    ///
    /// - Parameters:
    ///   - fileDescriptor: the file, open for reading; its offset is neither used nor moved.
    ///   - isCancelled: called before every piece.
    /// - Returns: 64 lower-case hexadecimal digits.
    /// - Throws: `HashError` if the file cannot be read or hashing was cancelled.
    package static func sha256(
        of fileDescriptor: Int32,
        isCancelled: () -> Bool = { false }
    ) throws(HashError) -> String {
        guard let context = EVP_MD_CTX_new() else { throw .libraryFailed }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw .libraryFailed }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 64)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while true {
            if isCancelled() { throw .cancelled }
            let count = pread(fileDescriptor, buffer, bufferSize, off_t(position))
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(errno)
            }
            if count == 0 { break }
            guard EVP_DigestUpdate(context, buffer, count) == 1 else { throw .libraryFailed }
            position += Int64(count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .libraryFailed }
        return Hexadecimal.text(digest)
    }

    /// The SHA-256 digests of a file's blocks, from which `ContentHash` is computed.
    ///
    /// - Parameters:
    ///   - fileDescriptor: the file, open for reading; its offset is neither used nor moved.
    ///   - range: bytes of the file; the last block may be shorter than the others.
    ///   - isCancelled: called before every piece.
    /// - Returns: 32 bytes for each block.
    package static func blockDigests(
        of fileDescriptor: Int32,
        in range: Range<Int64>,
        isCancelled: () -> Bool = { false }
    ) -> Result<[UInt8], HashError> {
        guard let context = EVP_MD_CTX_new() else { return .failure(.libraryFailed) }
        defer { EVP_MD_CTX_free(context) }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 64)
        defer { buffer.deallocate() }
        var digests: [UInt8] = []
        var digest = [UInt8](repeating: 0, count: 32)
        var position = range.lowerBound
        while position < range.upperBound {
            guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return .failure(.libraryFailed) }
            let end = min(position + ContentHash.blockSize, range.upperBound)
            while position < end {
                if isCancelled() { return .failure(.cancelled) }
                let count = pread(fileDescriptor, buffer, min(bufferSize, Int(end - position)), off_t(position))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .failure(count == 0 ? .endsEarly : .unreadable(errno)) }
                guard EVP_DigestUpdate(context, buffer, count) == 1 else { return .failure(.libraryFailed) }
                position += Int64(count)
            }
            guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return .failure(.libraryFailed) }
            digests += digest
        }
        return .success(digests)
    }
}
