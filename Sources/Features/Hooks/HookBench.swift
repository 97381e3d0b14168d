// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor
import CBGRunShims
import Glibc

/// Runs hooks without a host. Belongs to the thread that makes it.
package final class HookBench {
    private let manifest: Manifest
    private let loop: EventLoop
    private let supervisor: Supervisor
    private let runner: HookRunner
    private var signals: SignalSource?

    /// - Parameters:
    ///   - workerExecutable: `bgrun-worker`; `bgrun-post` is in the same directory.
    ///   - image: Opens a plugin of a manifest.
    ///   - output: Called with each line that a hook writes.
    package init(
        _ manifest: Manifest, workerExecutable: String,
        image: @escaping (Manifest, _ plugin: String) -> Result<PluginImage, PluginRefusal>,
        output: @escaping (String) -> Void
    ) throws(SystemFailure) {
        self.manifest = manifest
        bgrun_become_subreaper()
        loop = try EventLoop()
        supervisor = Supervisor(
            loop, executable: workerExecutable, limits: SupervisorLimits(manifest.policy),
            app: manifest.appOfPlugins)
        supervisor.spareChildren()
        runner = HookRunner(loop, supervisor, workerExecutable: workerExecutable)
        let hooks = HookRunner.manifest(of: manifest)
        supervisor.image = { image(hooks, $0) }
        supervisor.onNotice = { [unowned self] notice in
            if case .line(_, let line) = notice { output(line.text) }
            runner.take(notice)
        }
        signals = try SignalSource(loop, [SIGCHLD, SIGTERM, SIGINT]) { [unowned self] signal in
            if signal == SIGCHLD { supervisor.childrenEnded() } else { runner.kill() }
        }
    }

    package func run(_ hook: HookDefinition, _ event: HookEvent) -> AttemptEnd {
        var result = AttemptEnd(outcome: .interrupted)
        runner.run(1, hook, event, of: manifest) { [unowned self] end in
            result = end
            loop.stop()
        }
        loop.run()
        supervisor.retireWarmWorkers { [unowned self] in loop.stop() }
        loop.run()
        return result
    }
}
