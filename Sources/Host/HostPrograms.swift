// SPDX-License-Identifier: Apache-2.0

/// The programs that a host starts, all in one directory.
package enum HostPrograms {
    /// The path of the named program next to `executable`.
    package static func path(_ name: String, beside executable: String) -> String {
        let directory = executable.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        return (directory.isEmpty ? "." : directory) + "/" + name
    }
}
