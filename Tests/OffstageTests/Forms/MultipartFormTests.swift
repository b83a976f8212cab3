// SPDX-License-Identifier: Apache-2.0
import Offstage
import Testing

/// The separator of the parts occurs in none of them, for as long as parts are added.
@Suite struct MultipartFormTests {
    private func boundary(_ form: MultipartForm) throws -> String {
        String(try #require(form.contentType.split(separator: "=").last))
    }

    /// Adds a part that contains the form's own boundary, and expects a new boundary.
    private func expectNew(_ add: (inout MultipartForm, String) -> Void) throws {
        var form = MultipartForm()
        form.addField("before", "x")
        let old = try boundary(form)
        add(&form, old)
        #expect(try boundary(form) != old)
        let new = form.contentType
        form.addField("after", "nothing of the kind, not even \(old)")
        #expect(form.contentType == new)
    }

    @Test func `a form whose boundary is in a text gets another`() throws {
        try expectNew { $0.addField("v", "x\($1)x") }
        try expectNew { $0.addField("x\($1)", "v") }
        try expectNew { $0.addFile("f", at: URL(fileURLWithPath: "/f"), fileName: "\($1).txt") }
    }

    /// The accent belongs to the last digit for people, but for a server it is bytes after the digit.
    @Test func `a form whose boundary is in a text before an accent gets another`() throws {
        try expectNew { $0.addField("v", "x\($1)\u{301}") }
    }

    @Test func `a form whose boundary is in its data gets another`() throws {
        try expectNew { $0.addData("d", Data("\0\r\n--\($1)\r\n".utf8), fileName: nil) }
        try expectNew { form, boundary in
            let whole = Data("skipped\(boundary)".utf8)
            form.addData("d", whole.dropFirst(7), fileName: "a")
        }
    }

    @Test func `what is nearly the boundary changes nothing`() throws {
        var form = MultipartForm()
        let type = form.contentType
        let nearly = String(try boundary(form).dropLast())
        form.addData("d", Data(nearly.utf8), fileName: nil)
        form.addData("e", Data(), fileName: nil)
        form.addField("v", nearly + "O" + nearly)
        #expect(form.contentType == type)
    }
}
