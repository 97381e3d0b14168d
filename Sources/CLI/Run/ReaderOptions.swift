// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunInspection
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSimulation
import Glibc

extension Manifest {
    /// The manifest at `path`.
    static func read(
        _ path: String, _ options: ManifestReader.Options = .installed()
    ) throws(ManifestProblems) -> Manifest {
        try ManifestReader.read(path: path, options: options).manifest
    }
}

extension ManifestReader.Options {
    /// Includes the plugins that are installed beside this executable.
    static func installed(checkingFiles: Bool = true) -> ManifestReader.Options {
        ManifestReader.Options(shippedPlugins: Installation().plugins, checksFiles: checkingFiles)
    }

    /// For root's commands about the app of another user.
    func of(_ path: String) -> ManifestReader.Options {
        var options = self
        options.home = HostAccount.home(ofOwnerOf: path)
        return options
    }

    /// The options of a scenario's machine: its zone, and the same spread on every machine.
    static func simulated(
        _ scenario: Scenario, checkingFiles: Bool = true
    ) -> ManifestReader.Options {
        var options = installed(checkingFiles: checkingFiles)
        options.zone = scenario.zone
        options.machine = "simulated"
        options.now = WallTime(
            milliseconds: scenario.zone.instant(of: scenario.start).saturatingMultiplied(by: 1_000))
        return options
    }

    /// Also checks the secrets of push sources and tasks, and the libraries of foreign calls, as a worker of this
    /// host would find them.
    static func lint() -> ManifestReader.Options {
        var options = installed()
        options.libraries = .onDisk
        options.checksSecrets = true
        options.checksHandlerFiles = true
        options.hasUser = { Account(named: $0) != nil }
        options.hasGroup = { Account.group(named: $0) != nil }
        options.libraryPath = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
        return options
    }
}

extension ForeignPreflight.Files {
    fileprivate static let onDisk = ForeignPreflight.Files(
        objection: { path in
            SharedLibrary.objection(to: path).map { ForeignObstacle($0.reason, remedy: $0.remedy) }
        },
        read: { (path, functions) throws(ForeignObstacle) in
            do throws(PluginFileRefusal) {
                let library = try SharedLibrary(path: path, lookingFor: functions)
                return ForeignPreflight.LibraryFile(
                    needed: library.needed, functions: library.functions,
                    variables: library.variables)
            } catch {
                throw ForeignObstacle(error.reason, remedy: error.remedy)
            }
        })
}
