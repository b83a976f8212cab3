// SPDX-License-Identifier: Apache-2.0

extension String {
    /// A number of seconds as a duration, for people.
    package init(duration seconds: Double) {
        self =
            switch seconds {
            case ..<10: "\((seconds * 10).rounded() / 10) s".replacingTrailingZero
            case ..<120: "\(Int(nearest: seconds.rounded())) s"
            case ..<7200: "\(Int(nearest: (seconds / 60).rounded())) min"
            case ..<172_800: "\(Int(nearest: (seconds / 3600).rounded())) h"
            default: "\(Int(nearest: Swift.min(seconds / 86_400, 1e15).rounded())) days"
            }
    }

    private var replacingTrailingZero: String { hasSuffix(".0 s") ? String(dropLast(4)) + " s" : self }
}
