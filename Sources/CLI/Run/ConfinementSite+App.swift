// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

extension ConfinementSite {
    /// The site of an app whose host is this process.
    init(
        _ manifest: Manifest, _ state: StateDirectory, worker: String, _ installation: Installation
    ) {
        let variables = Self.environment
        let place = state.absolutePath
        let shipped = manifest.plugins.compactMap { plugin -> String? in
            if case .shipped(let name) = plugin.location { installation.plugin(name) } else { nil }
        }
        let own = getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
        let homes = ["/home", "/root", own, variables["HOME"]].compactMap(\.self)
        let data = [StateDirectory.appHome(place), place + "/transfers"]
        self.init(
            user: geteuid(), group: getegid(), homes: homes.filter { $0.hasPrefix("/") },
            guarded: manifest.decidingFiles + shipped, secrets: manifest.secretFiles,
            manifestDirectory: manifest.directory, state: place,
            stateBase: FileRules.parent(of: place), data: data, worker: worker,
            variables: variables)
    }

    /// The variables of this process.
    static var environment: [String: String] {
        Dictionary(
            CStrings.environment.compactMap { line -> (String, String)? in
                guard let equals = line.firstIndex(of: "=") else { return nil }
                return (String(line[..<equals]), String(line[line.index(after: equals)...]))
            }, uniquingKeysWith: { first, _ in first })
    }
}
