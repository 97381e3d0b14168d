// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import BGRunSystem
import CBGRunPlugin
import CBGRunShims
import Glibc

/// Runs plugins in trials, each in a separate worker, and removes everything afterwards.
///
/// Belongs to one thread. Makes the process a child subreaper; all of its children must belong to this
/// site.
package final class TrialSite {
    private let spawn: WorkerSpawn
    let image: PluginImage
    private let home: String
    private let watch: (_ worker: Int32?) throws -> Void
    private var living: Set<pid_t> = []

    /// The maximum writable memory of a plugin under trial, in bytes.
    private static let memory: UInt64 = 2 << 30

    /// - Parameters:
    ///   - executable: The `bgrun-worker` executable.
    ///   - image: The plugin's checked file.
    ///   - home: An empty directory that plugins get as the app's home, to protect the user's files;
    ///     absolute. It must exist as long as the site does.
    ///   - app: The facts of the app for plugins.
    ///   - watch: Receives the pidfd of each started worker, and nil before it is closed. Throws to end
    ///     the trial.
    package init(
        executable: String, image: PluginImage, home: String, app: HostMessage.App,
        watch: @escaping (_ worker: Int32?) throws -> Void
    ) {
        spawn = WorkerSpawn(executable: executable, lineLimit: 4_096, app: app)
        self.image = image
        self.home = home
        self.watch = watch
        bgrun_become_subreaper()
    }

    /// A new worker with the facts of this host, unless others are given.
    func worker(
        _ host: HostMessage.Trial = .thisHost, environment: [String: String] = [:]
    ) throws -> TrialWorker {
        let process = try withExtendedLifetime(image) {
            try spawn.start(
                WorkerKey(plugin: image.displayPath, home: home, own: environment), image,
                trial: host)
        }
        living.insert(process.pid)
        bgrun_limit_memory(process.pid, Self.memory)
        let worker = TrialWorker(process, site: self)
        try watch(process.pidfd)
        return worker
    }

    /// Kills a worker and its descendants, and returns the way it ended.
    func end(_ process: WorkerProcess) -> String {
        try? watch(nil)
        process.killEverything()
        let death = PluginProbe.death(of: process)
        living.remove(process.pid)
        // This process is the parent of its orphans now.
        ProcessTree.killAll(below: getpid(), sparing: living)
        for stray in ProcessTree.children(of: getpid()) where !living.contains(stray) {
            while waitpid(stray, nil, 0) < 0, errno == EINTR {}
        }
        return death
    }
}

extension HostMessage.Trial {
    /// The facts of this host.
    static let thisHost = HostMessage.Trial(
        abiVersion: BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR, hasExtensions: true,
        hasLongerStructs: false)

    static func host(
        major: UInt32 = BGRUN_ABI_MAJOR, minor: UInt32 = BGRUN_ABI_MINOR,
        hasExtensions: Bool = true, hasLongerStructs: Bool = false
    ) -> HostMessage.Trial {
        HostMessage.Trial(
            abiVersion: major << 16 | minor, hasExtensions: hasExtensions,
            hasLongerStructs: hasLongerStructs)
    }
}
