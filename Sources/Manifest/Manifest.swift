// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem

/// A valid manifest: the declarations of one app.
package struct Manifest: Sendable {
    /// The app's identifier, reverse-DNS.
    package var app: String
    package var modes: Set<Mode>
    /// Identifiers, or prefixes that end in `.*`, in the order of the file.
    package var permittedIdentifiers: [String]
    package var plugins: [PluginReference]
    package var tasks: [TaskDefinition]
    /// The readings that the manifest states about its device; others are unknown.
    package var device: DeviceState
    package var policy: Policy
    /// The directory of the manifest file, absolute: relative paths start here.
    package var directory: String
    /// The path of the manifest file as given.
    package var path: String
    /// The contents of the file when it was read.
    package var source: [UInt8] = []
    /// The user whose rights its tasks have, and the users that may query them.
    package var account = ManifestAccount()
    /// The hooks that report the ends of tasks, in the order of the file.
    package var hooks: [HookDefinition] = []
    /// The downloads and uploads without a handler, in the order of the file.
    package var transfers: [TransferDefinition] = []
    /// The sources of silent pushes; nil: only `bgrun push`.
    package var push: PushSources?
    /// What the handlers of all tasks may do.
    package var confinement = ConfinementKeys()
    /// The time zone of the hours of use: the machine's.
    var usageZone = ZoneRules.utc

    /// The absolute path of the manifest file: resolves links in its directory, but not the file itself.
    package var absolutePath: String { Self.absolute(path, in: directory) }

    /// The task that handles the requests of `identifier`: of several patterns, the most specific one's.
    package func task(for identifier: String) -> TaskDefinition? {
        IdentifierRule(permitting: tasks.map(\.declaration.identifier)).index(for: identifier)
            .map { tasks[$0] }
    }

    /// The configuration of the engine.
    package var engineConfiguration: Engine.Configuration {
        Engine.Configuration(
            permitted: permittedIdentifiers, declarations: tasks.map(\.declaration), modes: modes,
            policy: policy, usageZone: usageZone)
    }

    /// The absolute path of the manifest named `path`, which may be missing.
    package static func absolutePath(of path: String) -> String {
        absolute(path, in: BaseDirectory(ofFile: path).path)
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return (directory == "/" ? "" : directory) + "/" + name
    }
}

extension Manifest {
    /// The manifest of an app whose file is unknown: without tasks.
    package init(ofUnknown app: String) {
        self.init(
            app: app, modes: [], permittedIdentifiers: [], plugins: [], tasks: [],
            device: DeviceState(), policy: .apple, directory: "/", path: "")
    }

    /// The same with only one plugin, a shipped one, under `name`.
    package func with(shipped plugin: String, as name: String) -> Manifest {
        var copy = self
        let mark = SourceMark(line: 1, column: 1)
        copy.plugins = [PluginReference(name: name, location: .shipped(plugin), mark: mark)]
        return copy
    }
}

/// The users and groups that a manifest names: by name, or by number in quotes.
package struct ManifestAccount: Equatable, Sendable {
    /// The user its tasks run as; nil for the user of the host.
    package var user: String?
    /// The group; nil for the user's own.
    package var group: String?
    /// The group whose members may query its host; nil: only its user and root may.
    package var controlGroup: String?
}

/// A plugin that a manifest names.
package struct PluginReference: Equatable, Sendable {
    package var name: String
    package var location: Location
    /// The required SHA-256 of the file, 64 lower-case hexadecimal digits; nil: not pinned.
    package var sha256: String?
    /// The maximum number of concurrent attempts of its handlers; nil: no separate limit.
    var workers: Int?
    /// What its handlers may do besides.
    package var confinement = ConfinementKeys()
    /// The place of its name in the manifest.
    package var mark: SourceMark

    package enum Location: Equatable, Sendable {
        /// An absolute path (the manifest's relative path, resolved).
        case path(String)
        /// A plugin that ships with bgrun, for example `exec`, found beside the executable.
        case shipped(String)
    }
}

/// One entry of `tasks:`.
package struct TaskDefinition: Equatable, Sendable {
    package var declaration: TaskDeclaration
    /// A description for people: one line.
    package var description: String?
    package var action: Action
    /// The `parameters:` as a JSON object, keys in the order of the file; "{}" without any.
    package var parameters: String
    /// Environment variables of the worker, over the host's own, including those of `environmentFiles`.
    package var environment: [String: String]
    /// The absolute paths of the files of variables, which were read with the manifest.
    package var environmentFiles: [String]
    /// Passed to each attempt.
    package var secrets: [Secret]
    /// What its handler or calls may do besides.
    package var confinement = ConfinementKeys()
    /// The absolute path of a file or directory whose changes submit it; nil without one.
    package var watches: String?
    /// The address at which a connection submits it; nil without one.
    package var listens: SocketAddress?
    /// The place of its declaration in the manifest.
    package var mark: SourceMark

    static let longestDescription = 200

    /// `text` as a description, without the line break at the end of a block scalar; nil: it is blank, too
    /// long, or contains control characters or several lines.
    package static func description(_ text: String) -> String? {
        let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
        let scalars = line.unicodeScalars
        guard scalars.count <= longestDescription, !scalars.allSatisfy(\.properties.isWhitespace),
            !scalars.contains(where: \.isControl)
        else { return nil }
        return String(line)
    }

    /// The handler of `handler: plugin` (BGRUN_DEFAULT_HANDLER).
    static let defaultHandler = "default"

    package enum Action: Equatable, Sendable {
        /// `handler: plugin.name`
        case handler(plugin: String, name: String)
        /// `calls:`, through libffi
        case foreign(ForeignProgram)
    }
}

extension Unicode.Scalar {
    /// Control characters, and the separators of lines and paragraphs.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}

/// A place in a manifest file; lines and columns count from 1, columns in characters.
package struct SourceMark: Hashable, Sendable {
    package var line: Int
    package var column: Int
}
