// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import BGRunSystem
import CBGRunPlugin
import CBGRunShims
import Glibc

/// Where plugins are tried: each in a worker of its own, of which nothing is left when it is over.
///
/// Belongs to one thread. Makes the process a child subreaper; its children must all be of this site.
package final class TrialSite {
    private let spawn: WorkerSpawn
    let image: PluginImage
    private let home: String
    private let watch: (_ worker: Int32?) throws -> Void
    private var living: Set<pid_t> = []

    /// The most memory a plugin may write to while it is tried, in bytes.
    private static let memory: UInt64 = 2 << 30

    /// - Parameters:
    ///   - executable: The `bgrun-worker` executable.
    ///   - image: The plugin's file, checked.
    ///   - home: An empty directory that plugins are given as the app's home, so that none changes
    ///     files of the person who tries it; absolute. It must exist as long as the site does.
    ///   - app: What plugins are told of the app.
    ///   - watch: Takes the pidfd of each worker that is started, and nil before it is closed. Throws to
    ///     end the trial.
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

    /// A new worker that meets its plugin as this host does, unless it is told otherwise.
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

    /// Kills a worker with all it has started, and says how it ended.
    func end(_ process: WorkerProcess) -> String {
        try? watch(nil)
        process.killEverything()
        let death = PluginProbe.death(of: process)
        living.remove(process.pid)
        // What it left behind is ours now.
        ProcessTree.killAll(below: getpid(), sparing: living)
        for stray in ProcessTree.children(of: getpid()) where !living.contains(stray) {
            while waitpid(stray, nil, 0) < 0, errno == EINTR {}
        }
        return death
    }
}

extension HostMessage.Trial {
    /// This host as it is.
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
