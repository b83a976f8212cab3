// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageFuzzTargets
import OffstageTestSupport
import Testing

/// A slice of what `scripts/fuzz` does: the corpus's inputs, and a few thousand more generated from them and a seed. A
/// failure ends the tests' process, and the last line names its target.
@Suite(.serialized) struct FuzzTests {
    static let names = FuzzTarget.all.map(\.name)

    @Test(arguments: names)
    func `no input of the corpus, and none made from it, ends the process`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let corpus = try FuzzCorpus(name)
        try #require(!corpus.inputs.isEmpty, "\(corpus.folder) is empty")
        for input in corpus.inputs { input.withUnsafeBytes(target.run) }
        var mutator = FuzzMutator(corpus.inputs, seed: 1)
        for _ in 0..<1000 { mutator.next().withUnsafeBytes(target.run) }
    }

    @Test func `every folder of the corpus is a target's`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: FuzzCorpus.root)
        #expect(Set(folders) == Set(Self.names))
    }
}
