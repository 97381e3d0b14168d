// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The app's home directory, like the container of an iOS app: it contains Foundation's documents,
/// caches and temporary directories, which exist when the app is loaded.
package enum AppHome {
    /// The directory, an absolute path; set by bgrun, or by `environment` of a task.
    private static let variable = "BGRUN_APP_HOME"

    /// The names of the task's own environment variables, separated by spaces. A host that is older
    /// than this SDK does not set it.
    private static let ownVariable = "BGRUN_APP_HOME_KEEP"

    /// The environment variables that Foundation reads, and their directories below the home.
    /// Foundation reads XDG_CONFIG_HOME earlier: the worker sets it while it loads the plugin, and
    /// here it is set for the programs of the app.
    private static let places = [
        ("CFFIXED_USER_HOME", ""), ("XDG_CACHE_HOME", "/Library/Caches"),
        ("XDG_CONFIG_HOME", preferences), ("XDG_DATA_HOME", "/Library/Application Support"),
        ("TMPDIR", "/tmp"),
    ]
    private static let preferences = "/Library/Preferences"

    /// Called before any code of the app. If the variable is missing or the home cannot be created,
    /// the environment stays unchanged.
    package static func prepare(app: String?) {
        guard let home = value(variable) else { return }
        let former = formerPreferences()
        // Without the list, an inherited value cannot be distinguished from one of the task.
        let own = value(ownVariable).map { Set($0.split(separator: " ").map(String.init)) }
        for (variable, path) in furnish(home) {
            let keeps = own?.contains(variable) ?? true
            setenv(variable, path, keeps ? 0 : 1)
            // A preset directory may be missing; apps expect it to exist.
            if let place = value(variable), place != path, place.hasPrefix("/") {
                _ = make(variable == "CFFIXED_USER_HOME" ? place + "/Documents" : place)
            }
        }
        guard let app, let former, value("XDG_CONFIG_HOME") == home + preferences else { return }
        copyOnce("\(former)/\(app).plist", to: "\(home)\(preferences)/\(app).plist")
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }
    }

    /// The former place of the app's UserDefaults; nil if unknown.
    private static func formerPreferences() -> String? {
        if let directory = value("XDG_CONFIG_HOME"), directory.hasPrefix("/") { return directory }
        return value("HOME").map { $0 + "/.config" }
    }

    /// Copies a file, even a missing one, at most once: Foundation removes the file of an app that
    /// removes its last value. Several processes may do so at once, and a reader finds the whole file
    /// or none.
    private static func copyOnce(_ source: String, to destination: String) {
        let mark = "\(destination).copied"
        guard access(mark, F_OK) != 0, copy(source, to: destination) else { return }
        close(open(mark, O_CREAT | O_CLOEXEC, 0o600))
    }

    /// Copies a file unless it is missing or the destination exists; false if that fails.
    private static func copy(_ source: String, to destination: String) -> Bool {
        guard access(destination, F_OK) != 0 else { return true }
        guard let input = fopen(source, "re") else { return errno == ENOENT }
        defer { fclose(input) }
        let draft = "\(destination).\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { unlink(draft) }
        guard let output = fdopen(descriptor, "w") else {
            close(descriptor)
            return false
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isWhole = true
        while case let count = fread(&buffer, 1, buffer.count, input), count > 0 {
            isWhole = fwrite(buffer, 1, count, output) == count && isWhole
        }
        isWhole = ferror(input) == 0 && isWhole
        isWhole = fclose(output) == 0 && isWhole
        // Unlike rename, link keeps a file that another process has written meanwhile.
        return isWhole && (link(draft, destination) == 0 || errno == EEXIST)
    }

    /// Creates the directories of a home and returns the variables for them; empty if that fails.
    package static func furnish(_ home: String) -> [(variable: String, path: String)] {
        guard home.hasPrefix("/"), make(home), make(home + "/Documents"), make(home + "/Library")
        else { return [] }
        return places.filter { make(home + $0.1) }.map { ($0.0, home + $0.1) }
    }

    /// Creates the directory and its parents; returns whether it exists now.
    private static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return false
        }
        return make(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
    }
}
