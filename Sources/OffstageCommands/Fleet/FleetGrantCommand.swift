// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet grant ROLE LOGIN` grants the rights of a role to a login of the database.
package struct FleetGrantCommand: FleetCommand {
    /// The roles of a login.
    package enum Role: String, Sendable, CaseIterable {
        case viewer, submitter, member, `operator`
    }

    package static let path = ["fleet", "grant"]
    package static let summary = "Let a login of the database do what one of the fleet's roles may."
    package static let synopsis = ["[OPTION…] ROLE LOGIN"]
    package static let discussion = """
        ROLE is viewer (reads rows, members and counts), submitter (also submits, and cancels, pauses, retries and
        settles its own), member (takes rows and reports), or operator (cancels, pauses, retries and settles any row,
        pauses queues, limits servers, drains members, sets rules). Nobody reads a sealed secret out of the database
        but members, which cannot open it without the key. Give each site's members a login of their own.
        """
    package static let options = [
        CommandOption("--create", help: "create the login if it is missing, without a password"),
        CommandOption("--revoke", help: "take the role away instead"),
    ]
    package static let operands = OperandKind.words(Role.allCases.map(\.rawValue))
    package static let examples = [
        CommandExample("offstage fleet grant submitter ann", "let ann submit"),
        CommandExample("offstage fleet grant --create member seoul", "a login for the members of one site"),
        CommandExample("offstage fleet grant --revoke operator ann", "ann no longer operates the fleet"),
    ]

    package let role: Role
    package let login: String
    package let creates: Bool
    package let revokes: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        creates = arguments.takeFlag("--create")
        revokes = arguments.takeFlag("--revoke")
        guard !creates || !revokes else { throw UsageError("give --create or --revoke, not both") }
        let words = arguments.takeOperands()
        guard words.count == 2 else { throw UsageError("name a role and a login") }
        guard let role = Role(rawValue: words[0]) else {
            throw UsageError(
                "'\(words[0])' is not a role; choose from \(Role.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        guard (1...63).contains(words[1].utf8.count) else { throw UsageError("a login has 1 to 63 bytes") }
        self.role = role
        login = words[1]
    }
}
