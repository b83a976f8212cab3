// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Holds back part of a burst of requests from one user of a link. The daemon stops reading from a connection that has
/// too much under way, and the other users' requests on it would have to wait. A value.
package struct RequestWindow<Request> {
    /// Half of the requests that the daemon handles for one connection at a time: the other half is for the other
    /// users.
    package static var limit: Int { ConnectionBudget().requests / 2 }

    private var underWay = 0
    private var waiting: [(weight: Int, request: Request)] = []
    private var first = 0

    package init() {}

    /// Adds a request to be sent.
    ///
    /// - Returns: whether the request may be sent now; if not, `ended` returns it later.
    package mutating func enter(_ request: Request, weight: Int) -> Bool {
        guard first == waiting.count, underWay == 0 || underWay + weight <= Self.limit else {
            waiting.append((weight, request))
            return false
        }
        underWay += weight
        return true
    }

    /// Records that a request has been answered.
    ///
    /// - Returns: the requests whose turn has come, in order.
    package mutating func ended(weight: Int) -> [Request] {
        underWay -= weight  // checked: what `enter` or this function added
        var next: [Request] = []
        while first < waiting.count, underWay == 0 || underWay + waiting[first].weight <= Self.limit {
            underWay += waiting[first].weight
            next.append(waiting[first].request)
            first += 1
        }
        if first == waiting.count {
            waiting.removeAll()
            first = 0
        }
        return next
    }
}
