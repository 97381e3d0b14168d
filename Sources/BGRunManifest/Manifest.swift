// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunWire

/// A manifest that has been read and found valid: what one app declares.
public struct Manifest: Sendable {
    /// The app's identifier, reverse-DNS.
    public var app: String
    public var modes: Set<Mode>
    /// Identifiers, or prefixes that end in `.*`, in the order of the file.
    public var permittedIdentifiers: [String]
    public var plugins: [PluginReference]
    public var tasks: [TaskDefinition]
    /// Readings the manifest states about its device; unknown is what it does not state.
    public var device: DeviceState
    public var policy: Policy
    /// The directory of the manifest file, absolute: relative paths start here.
    public var directory: String
    /// The manifest file, as it was named.
    public var path: String
    /// What the file held when it was read.
    public var source: [UInt8]
    /// Whose rights its tasks have, and which other users may ask about them.
    public var account = ManifestAccount()
    /// The hooks that report the ends of tasks, in the order of the file.
    public var hooks: [HookDefinition] = []
    /// What is fetched and sent without a handler, in the order of the file.
    public var transfers: [TransferDefinition] = []
    /// Where silent pushes come from; nil for nowhere but `bgrun push`.
    public var push: PushSources?
    /// The time zone in which the hours of use are counted: the machine's.
    public var usageZone = ZoneRules.utc

    public init(
        app: String, modes: Set<Mode>, permittedIdentifiers: [String],
        plugins: [PluginReference], tasks: [TaskDefinition], device: DeviceState, policy: Policy,
        directory: String, path: String, source: [UInt8] = []
    ) {
        self.app = app
        self.modes = modes
        self.permittedIdentifiers = permittedIdentifiers
        self.plugins = plugins
        self.tasks = tasks
        self.device = device
        self.policy = policy
        self.directory = directory
        self.path = path
        self.source = source
    }

    /// The manifest file, whatever the working directory: links to its directory are resolved, a link
    /// it may be itself is not.
    public var absolutePath: String { Self.absolute(path, in: directory) }

    /// The absolute path of the manifest named `path`, which need not be there.
    public static func absolutePath(of path: String) -> String {
        absolute(path, in: BaseDirectory(ofFile: path).path)
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        (directory == "/" ? "" : directory) + "/" + (path.split(separator: "/").last ?? "")
    }
}

/// Users and groups a manifest names: by name, or by number in quotes.
public struct ManifestAccount: Hashable, Sendable {
    /// The user its tasks run as; nil for the user of the host.
    public var user: String?
    /// The group; nil for the user's own.
    public var group: String?
    /// Whose members may ask its host what runs and waits; nil for only its user and root.
    public var controlGroup: String?

    public init(user: String? = nil, group: String? = nil, controlGroup: String? = nil) {
        self.user = user
        self.group = group
        self.controlGroup = controlGroup
    }
}

/// A plugin a manifest names.
public struct PluginReference: Hashable, Sendable {
    public var name: String
    public var location: Location
    /// The SHA-256 the file must have, 64 lower-case hexadecimal digits; nil when not pinned.
    public var sha256: String?
    /// Attempts of its handlers at the same time; nil for no limit of its own.
    public var workers: Int?
    /// Where the manifest names it.
    public var mark: SourceMark

    public enum Location: Hashable, Sendable {
        /// An absolute path (the manifest's relative path, resolved).
        case path(String)
        /// A plugin that ships with bgrun, for example `exec`, found beside the executable.
        case shipped(String)
    }

    public init(
        name: String, location: Location, sha256: String?, workers: Int? = nil, mark: SourceMark
    ) {
        self.name = name
        self.location = location
        self.sha256 = sha256
        self.workers = workers
        self.mark = mark
    }
}

/// One entry of `tasks:`.
public struct TaskDefinition: Hashable, Sendable {
    public var declaration: TaskDeclaration
    public var action: Action
    /// The `parameters:` as a JSON object, keys in the order of the file; "{}" without any.
    public var parameters: String
    /// Environment variables of the worker, over the host's own.
    public var environment: [String: String]
    /// The absolute path of a file or directory whose changes submit it; nil for none.
    public var watches: String?
    /// The address at which a connection submits it; nil without one.
    public var listens: SocketAddress?
    /// Where the manifest declares it.
    public var mark: SourceMark

    /// What `handler: plugin` stands for (BGRUN_DEFAULT_HANDLER).
    public static let defaultHandler = "default"

    public enum Action: Hashable, Sendable {
        /// `handler: plugin.name`
        case handler(plugin: String, name: String)
        /// `calls:`, made through libffi
        case foreign(ForeignProgram)
    }

    public init(
        declaration: TaskDeclaration, action: Action, parameters: String,
        environment: [String: String], watches: String? = nil,
        listens: SocketAddress? = nil, mark: SourceMark
    ) {
        self.declaration = declaration
        self.action = action
        self.parameters = parameters
        self.environment = environment
        self.watches = watches
        self.listens = listens
        self.mark = mark
    }
}

/// A place in a manifest file; lines and columns count from 1, columns in characters.
public struct SourceMark: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
