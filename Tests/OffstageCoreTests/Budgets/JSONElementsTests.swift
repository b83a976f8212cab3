// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct JSONElementsTests {
    private func written(_ text: String, longest: Int = 100) -> [String?]? {
        JSONElements.written(in: "specs", of: Array(text.utf8), longest: longest)?.map {
            $0.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(arguments: [
        ([], 0), ([#"{"a":1}"#], 1), ([#"{"a":[1,{"b":2}]}"#, "{}"], 2),
        ([#"{"],":"\",[{"}"#, #""\\""#, "[[],[]]"], 3),
        ([#"{ "a" : "Größe" }"#, "1", "null"], 3),
    ])
    func `each element is found as it is written`(elements: [String], count: Int) {
        #expect(written(#"{"specs":["# + elements.joined(separator: ",") + "]}") == elements.map { Optional($0) })
        #expect(elements.count == count)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"specs":1}"#, #"{"specs":[1]"#, #"{ "specs":[1]}"#, #"{"specs": [1]}"#, #"{"specs":[1] }"#,
        #"{"specs":[1],"specs":[2]}"#, #"{"specs":[1],"a":[]}"#, #"{"a":[],"specs":[1]}"#, #"{"spec\u0073":[1]}"#,
        #"{"specs":["]}"#, #"{"specs":["\"]}"#, #"{"specs":[[]}"#, #"{"specs":]}"#,
    ])
    func `what is written in another way is left to an encoder`(text: String) {
        #expect(written(text) == nil)
    }

    @Test func `an element that is too long is none`() {
        #expect(written(#"{"specs":["123","1234","12"]}"#, longest: 5) == [#""123""#, nil, #""12""#])
    }

    @Test func `random JSON is taken apart into what it was made of`() throws {
        var random = SystemRandomNumberGenerator()
        func value(_ depth: Int) -> String {
            let texts = ["a", "\\\"", "\\\\", ",", "[", "}", "é", "\\u0022"]
            switch random.next() % (depth > 3 ? 3 : 5) {
            case 0: return "\(random.next())"
            case 1: return "\"" + (0..<3).map { _ in texts[Int(random.next() % 8)] }.joined() + "\""
            case 2: return "true"
            case 3: return "[" + (0..<random.next() % 3).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
            default:
                return "{" + (0..<random.next() % 3).map { "\"\($0)\":" + value(depth + 1) }.joined(separator: ",")
                    + "}"
            }
        }
        for _ in 0..<2000 {
            let elements = (0..<random.next() % 4).map { _ in value(0) }
            let text = #"{"specs":["# + elements.joined(separator: ",") + "]}"
            #expect(written(text, longest: .max) == elements.map { Optional($0) }, "\(text)")
        }
    }
}
