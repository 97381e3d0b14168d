// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import CBGRunShims
import Glibc

/// The worker: loads one plugin, then runs its handlers, one attempt at a time, until the host
/// closes the channel.
package struct Worker {
    private var source = FrameSource(WorkerDescriptor.launch)
    private var plugin: PluginLibrary?
    /// Whether the host has passed the plugin's file; if not, the descriptor may be any file.
    private let hasPluginDescriptor = fcntl(WorkerDescriptor.plugin, F_GETFD) >= 0

    /// Runs in the process's main thread and does not return.
    package static func run() -> Never {
        guard fcntl(WorkerDescriptor.launch, F_GETFD) >= 0,
            fcntl(WorkerDescriptor.control, F_GETFD) >= 0
        else {
            let message = "bgrun-worker is started by bgrun and is of no use by itself\n"
            write(STDERR_FILENO, message, message.utf8.count)
            _exit(64)
        }
        var worker = Worker()
        prepareProcess()
        worker.serve()
    }

    /// A worker is killed when its channel closes, which a stopped worker cannot see: the death of
    /// the host continues it.
    private static func prepareProcess() {
        FatalSignals.restoreDefaults()
        bgrun_become_subreaper()
        bgrun_signal_on_parent_death(SIGCONT)
        for descriptor in WorkerDescriptor.launch...WorkerDescriptor.plugin {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 else { continue }
            // None of our descriptors may take the number of a missing plugin file.
            _ = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
        // A pipe is fully buffered by default; a handler's last output must not be lost with it.
        bgrun_line_buffer_output()
        _ = ProgressTimer.shared
        Watcher.start()
    }

    private mutating func serve() -> Never {
        guard case .load(let load) = source.next() else { HostChannel.isGone() }
        if let app = load.app { HostTable.setApp(app) }
        if let path = load.plugin {
            do {
                let library = try PluginLibrary(load, path: path)
                plugin = library
                HostChannel.send(.loaded(library.description))
            } catch {
                refuse(error.message)
            }
        }
        if hasPluginDescriptor { close(WorkerDescriptor.plugin) }
        // The first launch may have arrived with the load.
        let snapshot = ProcessSnapshot(lent: source.passed.count)
        var files = PrivateFiles(load.temporary)
        while true {
            guard case .launch(let launch) = source.next() else { HostChannel.isGone() }
            snapshot.restore(directory: launch.manifestDirectory)
            let passed = source.takePassed()
            guard let lent = LentDescriptor.all(passed, secrets: launch.secrets) else {
                refuse(
                    "the worker received \(passed.count) of its \(launch.secrets.count) secrets: it "
                        + "has too many open files")
            }
            run(launch)
            for descriptor in lent { descriptor.takeBack() }
            fflush(nil)
            var leftovers = snapshot.leftovers(
                ignoringThreads: keeps(BGRUN_PLUGIN_KEEPS_THREADS),
                ignoringDescriptors: keeps(BGRUN_PLUGIN_KEEPS_DESCRIPTORS))
            if files.hasLeftovers() { leftovers.insert(.files) }
            HostChannel.send(.idle(attempt: launch.attempt, leftovers: leftovers))
        }
    }

    private func run(_ launch: HostMessage.Launch) {
        // A plugin that is not an app does not receive visits.
        // fits: 8 bits
        if UInt32(launch.kind) == BGRUN_KIND_APP, !keeps(BGRUN_PLUGIN_FOLLOWS_APP) {
            return HostChannel.send(
                .completed(
                    attempt: launch.attempt, success: true, message: nil, enteredMonotonic: 0))
        }
        switch launch.action {
        case .handler(let name):
            guard let handler = plugin?.handlers[name] else { refuse(missing(name)) }
            AttemptRun(launch: launch).run(handler)
        case .foreign(let program):
            AttemptRun(launch: launch).run(program)
        }
    }

    private func missing(_ name: String) -> String {
        let known = (plugin?.handlers.keys.sorted() ?? []).joined(separator: ", ")
        return "the plugin has no handler \"\(name)\"; it registers: \(known)"
    }

    private func keeps(_ flag: UInt32) -> Bool { plugin?.keeps(flag) ?? false }

    private func refuse(_ message: String) -> Never {
        HostChannel.send(.refused(message))
        _exit(0)
    }
}
