// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// The request to `swift package offstage-bundle`.
struct BundleRequest {
    /// A program to build an app from.
    struct Program {
        let name: String
        let plist: URL
        /// Whether it also needs the program that shows notifications.
        let notifies: Bool
    }

    static let help = """
        USAGE: swift package offstage-bundle [OPTION…] [PRODUCT…]

        Builds the package's programs, or those that are named, and makes of each whose target's folder holds an Info.plist
        a NAME.app beside it, as 'offstage app bundle' does. Builds 'offstage' and 'offstaged' too, and says where they are.

          -c, --configuration debug|release   what to build (default: that of 'swift package')
          --plist FILE                        the Info.plist of the one PRODUCT that is named
          --identifier ID                     its CFBundleIdentifier, if the file has none
          --help                              this text
        """

    let wantsHelp: Bool
    let identifier: String?
    let configuration: PackageManager.BuildConfiguration
    private let plist: String?
    private let names: [String]

    /// - Throws: `BundleFailure` for invalid arguments.
    init(_ arguments: [String]) throws {
        // As in 'swift build'; the extractor knows only long names.
        var words = ArgumentExtractor(arguments.map { $0 == "-c" ? "--configuration" : $0 })
        wantsHelp = words.extractFlag(named: "help") > 0
        plist = try Self.value(of: "plist", in: &words, arguments)
        identifier = try Self.value(of: "identifier", in: &words, arguments)
        switch try Self.value(of: "configuration", in: &words, arguments) {
        case nil: configuration = .inherit
        case "debug": configuration = .debug
        case "release": configuration = .release
        case let other?: throw BundleFailure("There is no configuration '\(other)': say debug or release.")
        }
        names = words.remainingArguments
        if let unknown = names.first(where: { $0.hasPrefix("-") }) {
            throw BundleFailure("There is no option '\(unknown)': 'swift package offstage-bundle --help' has them.")
        }
        if let option = plist != nil ? "--plist" : identifier != nil ? "--identifier" : nil, names.count != 1 {
            throw BundleFailure("\(option) is for one program: name it.")
        }
    }

    /// The programs to build apps from.
    ///
    /// - Throws: `BundleFailure` if there is none, or a named program cannot become an app.
    func programs(of package: Package) throws -> [Program] {
        let products = package.products(ofType: ExecutableProduct.self)
        guard !names.isEmpty else {
            let found = products.compactMap { product in
                Self.plist(of: product).map { Self.program(product, plist: $0) }
            }
            guard !found.isEmpty else {
                throw BundleFailure(
                    "No program of this package has an Info.plist in its target's folder: add one, or name a program and "
                        + "its --plist."
                )
            }
            return found
        }
        return try names.map { name in
            guard let product = products.first(where: { $0.name == name }) else {
                let known = products.map(\.name).joined(separator: ", ")
                throw BundleFailure("This package has no program '\(name)': it has \(known.isEmpty ? "none" : known).")
            }
            if let plist {
                return Self.program(product, plist: URL(filePath: plist, relativeTo: Self.here).absoluteURL)
            }
            guard let own = Self.plist(of: product) else {
                let folder = product.mainTarget.directoryURL.path
                throw BundleFailure("'\(name)' has no Info.plist in \(folder): add one, or name one with --plist.")
            }
            return Self.program(product, plist: own)
        }
    }

    /// The value after an option; the extractor drops an option without a value.
    private static func value(of name: String, in words: inout ArgumentExtractor, _ all: [String]) throws -> String? {
        let values = words.extractOption(named: name)
        guard !values.isEmpty || !all.contains("--" + name) else { throw BundleFailure("--\(name) needs a value.") }
        return values.last
    }

    private static func program(_ product: ExecutableProduct, plist: URL) -> Program {
        let libraries = product.mainTarget.recursiveTargetDependencies.map(\.name)
        return Program(name: product.name, plist: plist, notifies: libraries.contains("OffstageUserNotifications"))
    }

    private static func plist(of product: ExecutableProduct) -> URL? {
        let file = product.mainTarget.directoryURL.appending(path: "Info.plist")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    private static var here: URL {
        URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    }
}
