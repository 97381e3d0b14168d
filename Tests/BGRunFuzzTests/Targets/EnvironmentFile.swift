// SPDX-License-Identifier: Apache-2.0

@testable import BGRunManifest

extension FuzzTarget {
    /// Files of variables.
    static let environmentFile = FuzzTarget(
        "environment-file", longest: 1_024,
        made: {
            ["# A\nA=1\n", "A=' b '\r\nB=\"\\\"$\"\n", "export A=1", "A=\\"].map { Array($0.utf8) }
        }
    ) { bytes in
        guard let variables = try? EnvironmentFile.variables(in: bytes) else { return }
        let size = variables.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        try hold(size <= bytes.count, "\(size) bytes of variables")
        try hold(
            !variables.contains { $0.key.contains("=") || $0.value.utf8.contains(0) },
            "a variable that no process can have")
    }
}
