// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// An `Info.plist`, from any app that a person downloads: as XML, or binary.
enum InfoPlistTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard PropertyListShape.isHarmless(Array(bytes)),
            let bundle = try? PropertyListDecoder().decode(AppIdentity.Bundle.self, from: Data(bytes))
        else { return }
        let name = AppIdentity(link: "/opt/Name.app/Name").name([bundle])
        promise(!name.isEmpty, "an app without a name")
    }
}
