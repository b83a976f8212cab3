// SPDX-License-Identifier: Apache-2.0

/// The calls that a fault applies to.
package struct DropboxFaultRule: Sendable, Equatable {
    /// When the rule is due among the calls of its routes, counted from when the rule was set.
    package enum Occasion: Sendable, Equatable {
        /// Every call.
        case always
        /// The call with that number, counted from 1.
        case call(Int)
        /// Each call with that probability, from 0 to 1.
        case probability(Double)
    }

    /// Nil for all routes of Dropbox.
    package var route: EmulatorRoute?
    package var occasion: Occasion
    /// The maximum number of times; nil for no limit.
    package var times: Int?
    package var fault: DropboxFault

    package init(
        _ fault: DropboxFault,
        on route: EmulatorRoute? = nil,
        _ occasion: Occasion = .always,
        times: Int? = nil
    ) {
        self.route = route
        self.occasion = occasion
        self.times = times
        self.fault = fault
    }

    init(_ reader: inout ArgumentReader) throws(DropboxRefusal) {
        let name = try reader.optionalString("route") ?? "*"
        if name == "*" {
            route = nil
        } else {
            guard let found = EmulatorRoute(rawValue: name) else {
                throw reader.refuse("route", "\"\(name)\" is not a route of the emulator")
            }
            route = found
        }
        if let number = try reader.optionalCount("call") {
            occasion = .call(Int(number))
        } else if let probability = try reader.optionalNumber("probability") {
            occasion = .probability(probability)
        } else {
            occasion = .always
        }
        times = try reader.optionalCount("times").map { Int($0) }
        var inner = try reader.object("fault")
        fault = try DropboxFault(&inner)
        try reader.end()
    }

    package var json: EmulatorJSON {
        var fields: [String: EmulatorJSON] = [
            "route": .string(route?.rawValue ?? "*"), "fault": fault.json,
        ]
        switch occasion {
        case .always: break
        case .call(let number): fields["call"] = .integer(Int64(number))
        case .probability(let value): fields["probability"] = .number(value)
        }
        if let times { fields["times"] = .integer(Int64(times)) }
        return .object(fields)
    }
}
