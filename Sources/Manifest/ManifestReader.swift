// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem

/// Reads manifests.
package enum ManifestReader {
    package struct Options: Sendable {
        /// Lists the plugins that are installed with bgrun, which a manifest names without a path. Called at
        /// most once per manifest, only to look up a plugin's name.
        let shippedPlugins: @Sendable () -> [String]
        /// Whether a missing plugin or library is an error.
        var checksFiles: Bool
        /// Whether an invalid secret of a push source or a task is an error; otherwise the host reports it and
        /// starts without the source, and the attempts of the task are refused.
        package var checksSecrets = false
        /// Whether a missing file that a handler needs is an error; otherwise the attempts fail until it exists.
        package var checksHandlerFiles = false
        /// Checks the libraries of foreign calls, so that a missing library or function is an error; nil: the
        /// error occurs at launch.
        package var libraries: ForeignPreflight.Files?
        /// The `LD_LIBRARY_PATH` of workers whose task does not set one.
        package var libraryPath: String
        /// The default zone of schedules.
        package var zone: ZoneRules
        /// The identity of this machine, for `~` in cron expressions.
        package var machine: String
        /// The home directory, for `~` in paths of `confine`; nil: that of this process.
        package var home: String?
        /// The directory of the user's sockets; nil: that of this process.
        package var runtimeDirectory: String?
        /// The current time, for notes about dates within a year.
        package var now: WallTime
        /// Whether this machine has a user or group; nil: the manifest may be for another machine.
        package var hasUser: (@Sendable (String) -> Bool)?
        package var hasGroup: (@Sendable (String) -> Bool)?

        package init(
            shippedPlugins: @autoclosure @escaping @Sendable () -> [String] = [
                "exec", "hello-c", "sqlite-maintenance", "sync-directory",
            ],
            checksFiles: Bool = true, libraries: ForeignPreflight.Files? = nil,
            libraryPath: String = "", zone: ZoneRules = .local, machine: String = Machine.id,
            now: WallTime = SystemClock().now.wall
        ) {
            self.shippedPlugins = shippedPlugins
            self.checksFiles = checksFiles
            self.libraries = libraries
            self.libraryPath = libraryPath
            self.zone = zone
            self.machine = machine
            self.now = now
        }
    }

    /// Reads the manifest at `path`: a regular file of at most 1 MiB.
    ///
    /// Throws all problems at once. Takes bounded time and memory for any contents. Thread-safe.
    package static func read(
        path: String, options: Options = Options()
    ) throws(ManifestProblems) -> ManifestReading {
        let bytes = try DocumentKind.manifest.read(path)
        return try read(bytes, path: path, base: BaseDirectory(ofFile: path), options: options)
    }

    /// Reads a manifest from memory, as the file `path` in `directory`.
    package static func read(
        bytes: [UInt8], path: String, directory: String, options: Options = Options()
    ) throws(ManifestProblems) -> ManifestReading {
        try read(bytes, path: path, base: BaseDirectory(directory), options: options)
    }

    private static func read(
        _ bytes: [UInt8], path: String, base: BaseDirectory, options: Options
    ) throws(ManifestProblems) -> ManifestReading {
        let source = SourceText(bytes: bytes)
        let bag = DiagnosticBag(file: path, source: source)
        let decoder = ManifestDecoder(bag: bag, base: base, options: options)
        guard let root = DocumentKind.manifest.tree(of: source, bag: bag),
            var manifest = decoder.decode(root, path: path), !bag.hasErrors
        else { throw ManifestProblems(diagnostics: bag.sorted) }
        manifest.source = bytes
        return ManifestReading(manifest: manifest, warnings: bag.sorted)
    }
}

/// A manifest without errors.
package struct ManifestReading: Sendable {
    package var manifest: Manifest
    /// In the order of the file.
    package var warnings: [Diagnostic]
}

/// The problems of a manifest, or of a scenario for it, that cannot be used.
package struct ManifestProblems: Error, Sendable, CustomStringConvertible {
    /// At least one error, and the warnings, in the order of the file.
    package var diagnostics: [Diagnostic]

    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// The first error; warnings may precede it.
    package var firstError: Diagnostic? {
        diagnostics.first { $0.severity == .error } ?? diagnostics.first
    }

    package var description: String { diagnostics.rendered(color: false) }
}
