// SPDX-License-Identifier: Apache-2.0

import BGRunPluginFile
import Glibc

/// Where this bgrun's own files are: beside its executable when built, under its prefix when
/// installed.
struct Installation {
    /// The directory of the executable, without symbolic links.
    let directory: String

    init() {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(
            decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// The worker executable; nil when it is missing.
    var worker: String? {
        ["bgrun-worker", "../lib/bgrun/bgrun-worker"].map { "\(directory)/\($0)" }
            .first { access($0, X_OK) == 0 }
    }

    /// The file of a plugin that ships with bgrun.
    func plugin(_ name: String) -> String? {
        PluginSearch(executableDirectory: directory).candidates(name)
            .first { access($0, F_OK) == 0 }
    }

    /// The names of the plugins that are found, in alphabetical order.
    var plugins: [String] {
        let files = PluginSearch(executableDirectory: directory).directories.flatMap(Self.files)
        return Set(files.compactMap(PluginSearch.name(ofFile:))).sorted()
    }

    /// The bgrun-audit executable: installed, or built by `make audit`; nil when it is not.
    var audit: String? {
        [
            "bgrun-audit", "../../audit/release/bgrun-audit", "../../audit/debug/bgrun-audit",
        ].map { "\(directory)/\($0)" }.first { access($0, X_OK) == 0 }
    }

    /// The names in a directory; none when it is not there.
    private static func files(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
