// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import BGRunSystem
import Glibc

/// The location of this bgrun's files: beside its executable when built, under its prefix when
/// installed.
struct Installation {
    /// The directory of the executable, without symbolic links.
    let directory: String

    init() {
        let path = PathWalk.target(of: "/proc/self/exe") ?? ""
        directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// This executable.
    var executable: String { "\(directory)/bgrun" }

    /// The worker executable; nil when it is missing.
    var worker: String? { program("bgrun-worker") }

    /// The executable of the transfer service; nil when it is missing.
    var transferService: String? { program("bgrun-transferd") }

    private func program(_ name: String) -> String? {
        firstExecutable(of: [name, "../lib/bgrun/\(name)"])
    }

    private func firstExecutable(of places: [String]) -> String? {
        places.map { "\(directory)/\($0)" }.first { access($0, X_OK) == 0 }
    }

    /// The directory of the kits; nil when it is missing.
    var kits: String? {
        place(installed: "share/bgrun/kits", built: "Kits", holding: "common/test.sh")
    }

    /// The directory of the Swift package for plugins; nil when it is missing.
    var sdk: String? { place(installed: "share/bgrun/sdk", built: "SDK", holding: "Package.swift") }

    /// The setting that pkg-config needs to find the header of this bgrun.
    var pkgConfigProblem: String? {
        let prefix = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
        guard access("\(prefix)/lib/pkgconfig/bgrun.pc", F_OK) == 0 else {
            return """
                this bgrun is not installed, so projects do not find its header; \
                `make install PREFIX=...`, and use that one
                """
        }
        guard !["/usr", "/usr/local"].contains(prefix) else { return nil }
        return "so that projects find its header: export PKG_CONFIG_PATH=\(prefix)/lib/pkgconfig"
    }

    /// A directory below the prefix, or in the source tree from `.build/<triple>/<configuration>`.
    private func place(installed: String, built: String, holding file: String) -> String? {
        ["../\(installed)", "../../../\(built)"].lazy
            .compactMap { realpath("\(directory)/\($0)", nil) }
            .map { path in
                defer { free(path) }
                return String(cString: path)
            }
            .first { access("\($0)/\(file)", F_OK) == 0 }
    }

    /// The same; reports a missing executable and ends the command.
    func requiredWorker() throws -> String { try required("bgrun-worker") }

    /// The executable of the HTTP gateway.
    func requiredGateway() throws -> String { try required("bgrun-gateway") }

    private func required(_ name: String) throws -> String {
        guard let path = program(name) else {
            throw Exit.unavailable.reporting(
                "\(name) is missing beside \(directory)/bgrun; install it")
        }
        return path
    }

    /// The file of a plugin that ships with bgrun.
    func plugin(_ name: String) -> String? {
        PluginSearch(executableDirectory: directory).candidates(name)
            .first { access($0, F_OK) == 0 }
    }

    /// The names of the installed plugins, sorted.
    var plugins: [String] {
        let files = PluginSearch(executableDirectory: directory).directories.flatMap {
            Directory.names(in: $0) ?? []
        }
        return Set(files.compactMap(PluginSearch.name(ofFile:))).sorted()
    }

    /// The bgrun-audit executable: installed, or built by `make audit`; nil: missing.
    var audit: String? {
        firstExecutable(
            of: ["bgrun-audit", "../../audit/release/bgrun-audit", "../../audit/debug/bgrun-audit"])
    }
}
