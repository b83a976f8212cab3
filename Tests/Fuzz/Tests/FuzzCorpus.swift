// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageTestSupport

/// The stored inputs for one target, one per file.
struct FuzzCorpus {
    let folder: String
    let inputs: [[UInt8]]

    static let root = String(#filePath.dropLast("Tests/FuzzCorpus.swift".count)) + "Corpus"

    init(_ name: String) throws {
        folder = Self.root + "/" + name
        let folder = folder
        inputs = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .map { try TestFiles.read(folder + "/" + $0) }
    }
}
