// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The places of the built programs.
enum Built {
    /// The executables are beside the test bundle.
    static let service =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path + "/bgrun-transferd"
    static let fixtures =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        + "/Fixtures"
}
