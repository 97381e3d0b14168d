// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunInspection
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import Glibc

struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin",
        abstract: "Create, check or inspect a plugin.",
        subcommands: [
            PluginNewCommand.self, PluginCheckCommand.self, PluginInspectCommand.self,
        ])
}

struct PluginInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the handlers, version, libraries and digest of a plugin.",
        discussion: "Example: bgrun plugin inspect ./libcounter.so")

    @Argument(help: "The plugin, a shared library.", completion: .file(extensions: ["so"]))
    var file: String

    @OptionGroup var output: JSONOption

    private struct Result: Encodable {
        var path: String
        var name: String
        var version: String?
        var abi: String
        var handlers: [String]
        /// The tasks of its handler `default`; nil if the plugin does not report them.
        var tasks: [String]?
        var keepsThreads: Bool
        var keepsDescriptors: Bool
        var machine: String
        var soname: String?
        var needs: [String]
        var size: UInt64
        var mode: String
        var sha256: String
    }

    func run() throws {
        let (path, description, digest) = try describe()
        let finding = try Probe.load(file)
        guard case .loaded(let loaded) = finding else {
            throw Exit.refused.reporting(LogText.visible(finding.problem ?? ""))
        }
        try show(
            Result(
                path: path, name: loaded.name, version: loaded.version,
                abi: "\(loaded.abiVersion >> 16).\(loaded.abiVersion & 0xffff)",
                handlers: loaded.handlers,
                tasks: loaded.registrations?.compactMap(\.identifier).removingDuplicates(),
                keepsThreads: loaded.flags & 1 != 0, keepsDescriptors: loaded.flags & 2 != 0,
                machine: description.machine, soname: description.soname,
                needs: description.needed, size: description.size,
                mode: String(description.mode, radix: 8), sha256: digest))
    }

    private func describe() throws(PluginFileRefusal) -> (String, PluginDescription, String) {
        let plugin = try PluginFile.open(path: file, sha256: nil)
        return (plugin.resolvedPath, plugin.description, try plugin.sha256())
    }

    private func show(_ result: Result) throws {
        guard !output.json else { return print(try JSONOutput.text(result)) }
        let kept = [
            result.keepsThreads ? "threads" : nil, result.keepsDescriptors ? "descriptors" : nil,
        ].compactMap(\.self)
        let tasks = result.tasks.map { [("tasks", $0.isEmpty ? "-" : $0.joined(separator: ", "))] }
        let rows =
            [
                ("plugin", LogText.visible(result.name)),
                ("version", LogText.visible(result.version ?? "-")), ("ABI", result.abi),
                ("handlers", result.handlers.joined(separator: ", ")),
            ] + (tasks ?? []) + [
                ("keeps", kept.isEmpty ? "-" : kept.joined(separator: ", ")), ("file", result.path),
                ("machine", result.machine),
                ("needs", result.needs.isEmpty ? "-" : result.needs.joined(separator: ", ")),
                ("size", "\(result.size) bytes, mode \(result.mode)"), ("sha256", result.sha256),
            ]
        for (name, value) in rows { print(name.padded(to: 10) + LogText.visible(value)) }
    }
}

/// Loads a plugin file as the host would, in a separate process.
enum Probe {
    /// Prints the log of the plugin.
    /// - Parameter app: The facts of the app for the plugin; nil without one.
    static func load(_ file: String, app: HostMessage.App? = nil) throws -> PluginProbe.Finding {
        let worker = try Installation().requiredWorker()
        guard let path = realpath(file, nil) else { return .refused("\(file) does not exist") }
        defer { free(path) }
        let image = PluginImage(displayPath: file, path: String(cString: path))
        return try load(image, app, worker) { complain(LogText.visible($0)) }
    }

    static func load(
        _ image: PluginImage, _ app: HostMessage.App?, _ worker: String,
        log: (String) -> Void = { _ in }
    ) throws -> PluginProbe.Finding {
        try TemporaryDirectory.withAppHome { home in
            try PluginProbe(executable: worker, home: home, app: app).load(image, log: log)
        }
    }
}
