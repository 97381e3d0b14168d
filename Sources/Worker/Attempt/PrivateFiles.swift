// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunShims
import Glibc

/// The files and IPC objects of a confined worker that no other process has: an attempt must not leave any for the
/// next one.
struct PrivateFiles {
    private var directories: [Directory]

    private struct Directory {
        let path: String
        let entries: Set<String>
        /// When the entries last were these.
        var changed: timespec?

        init(_ path: String) {
            self.path = path
            changed = Self.changed(path)
            entries = Self.entries(path)
        }

        /// Lists the directory only if it has changed.
        mutating func isSame() -> Bool {
            let now = Self.changed(path)
            if let now, let changed, now.tv_sec == changed.tv_sec, now.tv_nsec == changed.tv_nsec {
                return true
            }
            guard Self.entries(path) == entries else { return false }
            changed = now
            return true
        }

        private static func changed(_ path: String) -> timespec? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mtim : nil
        }

        private static func entries(_ path: String) -> Set<String> {
            guard let directory = opendir(path) else { return [] }
            defer { closedir(directory) }
            var names: Set<String> = []
            while let entry = readdir(directory) {
                names.insert(
                    withUnsafePointer(to: &entry.pointee.d_name) {
                        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                    })
            }
            return names
        }
    }

    /// The present entries belong to the plugin: it was loaded, and no attempt has run.
    init(_ paths: [String]) { directories = paths.map(Directory.init) }

    /// Whether an attempt has left a file or an IPC object of System V.
    mutating func hasLeftovers() -> Bool {
        guard !directories.isEmpty else { return false }
        for index in directories.indices where !directories[index].isSame() { return true }
        return bgrun_ipc_objects() != 0
    }
}
