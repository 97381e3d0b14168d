// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

/// The plugin of this process: loaded once, never unloaded.
struct PluginLibrary {
    let table: UnsafePointer<bgrun_plugin>
    let handlers: [String: bgrun_handler]
    private let purposes: [Registration]?

    /// Why a plugin cannot be used, as a sentence with the expected and the actual value.
    struct Refusal: Error {
        let message: String
    }

    /// Loads the plugin and lets it register its handlers.
    init(_ load: HostMessage.Load, path: String) throws(Refusal) {
        let library: UnsafeMutableRawPointer
        do throws(LibraryLoader.Failure) {
            library = try PreferencesPlace.set { () throws(LibraryLoader.Failure) in
                try Self.open(path, load.displayPath)
            }
        } catch {
            throw Refusal(message: "\(load.displayPath) cannot be loaded: \(error.reason)")
        }
        FatalSignals.restoreDefaults()
        TrialHost.begin(load.trial)
        guard let symbol = dlsym(library, BGRUN_ENTRY_SYMBOL) else {
            throw Refusal(
                message: "\(load.displayPath) does not export \(BGRUN_ENTRY_SYMBOL): "
                    + "it is not a bgrun plugin, or its entry function is not BGRUN_EXPORT")
        }
        typealias Entry = @convention(c) (UInt32) -> UnsafePointer<bgrun_plugin>?
        let entry = unsafeBitCast(symbol, to: Entry.self)
        guard let table = entry(TrialHost.abiVersion) else {
            throw Refusal(
                message: "\(load.displayPath) cannot work with plugin ABI "
                    + "\(HostTable.versionText(TrialHost.abiVersion)), which this bgrun has")
        }
        self.table = table
        try Self.check(table.pointee, load.displayPath)
        let registered = try Self.initialise(table.pointee, load)
        handlers = registered.handlers
        purposes = registered.purposes
        TrialHost.askForUnknownExtension(table.pointee)
    }

    private static func open(
        _ path: String, _ displayPath: String
    ) throws(LibraryLoader.Failure) -> UnsafeMutableRawPointer {
        try LibraryLoader.open(path) { error, reason in
            HostChannel.send(.waiting(attempt: 0, error: error))
            let text = "\(displayPath) waits to be loaded: \(reason)"
            HostChannel.send(.log(attempt: 0, level: ForeignLogLevel.warning.rawValue, text: text))
        }
    }

    var description: WorkerMessage.Loaded {
        WorkerMessage.Loaded(
            name: String(cString: table.pointee.name).cut(to: HostTable.longestIdentifier),
            version: table.pointee.version.map {
                String(cString: $0).cut(to: HostTable.longestIdentifier)
            }, abiVersion: table.pointee.abi_version, flags: table.pointee.flags,
            handlers: Array(handlers.keys.sorted().prefix(WorkerMessage.Loaded.mostHandlers)),
            registrations: purposes)
    }

    func keeps(_ flag: UInt32) -> Bool { table.pointee.flags & flag != 0 }

    private static func check(_ plugin: bgrun_plugin, _ path: String) throws(Refusal) {
        let size = MemoryLayout<bgrun_plugin>.size
        guard Int(plugin.struct_size) >= size else {
            throw Refusal(
                message: "\(path): its bgrun_plugin says struct_size \(plugin.struct_size), "
                    + "at least \(size) is needed; set it to sizeof(bgrun_plugin)")
        }
        guard plugin.abi_version >> 16 == TrialHost.abiVersion >> 16 else {
            throw Refusal(
                message: "\(path) is built for plugin ABI "
                    + "\(HostTable.versionText(plugin.abi_version)), this bgrun has "
                    + "\(HostTable.versionText(TrialHost.abiVersion)); "
                    + "build it again with this bgrun's header")
        }
        guard plugin.name != nil, plugin.`init` != nil else {
            throw Refusal(message: "\(path): its bgrun_plugin has no name or no init")
        }
    }

    private static func initialise(
        _ plugin: bgrun_plugin, _ load: HostMessage.Load
    ) throws(Refusal) -> Registrations.State {
        let path = load.displayPath
        Registrations.open()
        AttemptController.shared.beginInit(load.device ?? .unknown)
        let status = plugin.`init`(TrialHost.table(HostTable.pointer))
        AttemptController.shared.endInit()
        let registered = Registrations.close()
        guard status == BGRUN_OK else {
            throw Refusal(message: "\(path): its init failed with \(status); see its log lines")
        }
        guard !registered.handlers.isEmpty else {
            throw Refusal(message: "\(path): its init registered no handler")
        }
        return registered
    }
}
