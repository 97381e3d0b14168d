// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the things that are tested have been built.
enum Built {
    /// The executables stand beside the test bundle.
    static let service =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path + "/bgrun-transferd"
    static let fixtures =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        + "/Fixtures"
}
