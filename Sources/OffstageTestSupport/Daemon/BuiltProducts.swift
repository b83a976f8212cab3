// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The programs under test: next to the test runner, where the package manager builds everything.
package enum BuiltProducts {
    package static func path(_ name: String) throws -> String {
        var directories: [String] = []
        if let told = getenv("OFFSTAGE_PRODUCTS") { directories.append(String(cString: told)) }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { buffer -> Int in
            guard let start = buffer.baseAddress else { return -1 }
            return readlink("/proc/self/exe", start.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        if count > 0 {
            let parts = String(decoding: buffer[..<count], as: UTF8.self).pathParts.dropLast()
            directories.append("/" + parts.joined(separator: "/"))
        }
        for argument in CommandLine.arguments where argument.contains(".xctest") && argument.hasPrefix("/") {
            let parts = argument.pathParts.prefix { !$0.hasSuffix(".xctest") }
            directories.append("/" + parts.joined(separator: "/"))
        }
        for directory in directories where access("\(directory)/\(name)", X_OK) == 0 { return "\(directory)/\(name)" }
        throw TestError(
            "\(name) is not built beside the tests (\(directories.joined(separator: ", "))): build all products, or set OFFSTAGE_PRODUCTS."
        )
    }
}
