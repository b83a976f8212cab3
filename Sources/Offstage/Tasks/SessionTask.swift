// SPDX-License-Identifier: Apache-2.0
import FoundationNetworking

/// A task of a background session that the daemon carries out.
protocol SessionTask: URLSessionTask {
    var core: SessionTaskCore { get }
}
