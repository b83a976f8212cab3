// SPDX-License-Identifier: Apache-2.0

// A file that imports Offstage, or a module that re-exports it, sees Foundation and the session types as on Apple's
// platforms. The delegate protocols declared here take precedence over FoundationNetworking's of the same names.
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import OffstageClient
