// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The app's home directory, like the container of an iOS app: it contains Foundation's documents,
/// caches and temporary directories, which exist when the app is loaded.
package enum AppHome {
    /// The directory, an absolute path; set by bgrun, or by `environment` of a task.
    private static let variable = "BGRUN_APP_HOME"

    /// The environment variables that Foundation reads, and the directory in the home that each is
    /// set to unless it is already set.
    private static let places = [
        ("CFFIXED_USER_HOME", ""), ("XDG_CACHE_HOME", "/Library/Caches"),
        ("XDG_DATA_HOME", "/Library/Application Support"), ("TMPDIR", "/tmp"),
    ]

    /// Called before any code of the app. If the variable is missing or the home cannot be created,
    /// the environment stays unchanged.
    static func prepare() {
        guard let home = getenv(variable).map({ String(cString: $0) }) else { return }
        for (variable, path) in furnish(home) {
            setenv(variable, path, 0)
            // What is set already need not be there; apps expect it to be.
            guard let place = getenv(variable).map({ String(cString: $0) }), place != path,
                place.hasPrefix("/")
            else { continue }
            _ = make(variable == "CFFIXED_USER_HOME" ? place + "/Documents" : place)
        }
    }

    /// Creates the directories of a home and returns the variables for them; empty if that fails.
    package static func furnish(_ home: String) -> [(variable: String, path: String)] {
        guard home.hasPrefix("/"), make(home), make(home + "/Documents"), make(home + "/Library")
        else { return [] }
        return places.filter { make(home + $0.1) }.map { ($0.0, home + $0.1) }
    }

    /// Creates the directory and its parents; whether it exists now.
    private static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return false
        }
        return make(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
    }
}
