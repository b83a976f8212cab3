// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OffstageCore

/// The scenes in the app's `Info.plist`.
///
/// <https://developer.apple.com/documentation/bundleresources/information-property-list/uiapplicationscenemanifest>
package struct SceneManifest: Sendable, Equatable {
    /// The name of the configuration of the app's window scenes.
    package var configuration: String?
    /// The class of the scenes' delegate, as written in the file: it may contain Xcode's `$(PRODUCT_MODULE_NAME)`.
    package var delegateClass: String?

    /// Reads the manifest; nil for an app without scenes.
    ///
    /// - Parameter information: the contents of the `Info.plist`.
    package init?(_ information: [String: Any]) {
        guard let manifest = information["UIApplicationSceneManifest"] as? [String: Any] else { return nil }
        let roles = manifest["UISceneConfigurations"] as? [String: Any]
        let first = (roles?["UIWindowSceneSessionRoleApplication"] as? [[String: Any]])?.first
        configuration = first?["UISceneConfigurationName"] as? String
        delegateClass = first?["UISceneDelegateClassName"] as? String
    }

    /// The class's name for the runtime, in an app's module: Xcode inserts the module's name when it builds the app,
    /// but SwiftPM does not.
    package func delegateClass(in module: String) -> String? {
        guard let delegateClass, !delegateClass.isEmpty else { return nil }
        let name = delegateClass.replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: module)
        return name.contains(".") ? name : "\(module).\(name)"
    }

    /// The manifest of the process's own bundle; nil if it is absent or has no scenes.
    static func ofThisApp() -> SceneManifest? {
        // One byte more than the longest path, so that it ends with a zero.
        var link = [CChar](repeating: 0, count: 4097)
        guard readlink("/proc/self/exe", &link, 4096) > 0 else { return nil }
        let path = String(decoding: link.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let identity = AppIdentity(link: path)
        for candidate in identity.candidates {
            guard let data = FileManager.default.contents(atPath: candidate), data.count <= 1 << 20,
                let value = try? PropertyListSerialization.propertyList(from: data, format: nil),
                let information = value as? [String: Any],
                identity.isNamed(by: information["CFBundleExecutable"] as? String)
            else { continue }
            return SceneManifest(information)
        }
        return nil
    }
}
