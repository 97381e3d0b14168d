// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunShims
import Glibc

/// Loads a plugin in its own worker, queries it, and ends the worker.
package struct PluginProbe {
    /// How a probe ended.
    package enum Finding: Sendable {
        case loaded(WorkerMessage.Loaded)
        /// The worker refused it, for this reason.
        case refused(String)
        /// Loading it killed the worker, as this sentence says.
        case died(String)
        /// Its entry or init did not return in time.
        case hung

        /// Why it cannot be used; nil if it is loaded.
        package var problem: String? {
            switch self {
            case .loaded: nil
            case .refused(let reason): reason
            case .died(let how): "loading it killed the worker: \(how)"
            case .hung: "its entry or init did not return within 10 s"
            }
        }
    }

    private let spawn: WorkerSpawn
    private let home: String

    /// - Parameters:
    ///   - executable: `bgrun-worker`.
    ///   - home: An empty directory that plugins get as the app's home; absolute. It must exist as long as the probe is
    ///     used.
    ///   - app: The facts of the app for the plugin; nil without a manifest.
    package init(executable: String, home: String, app: HostMessage.App? = nil) {
        spawn = WorkerSpawn(executable: executable, lineLimit: 4_096, app: app)
        self.home = home
    }

    /// Blocks until the plugin is loaded, at most `timeout` milliseconds. Discards the plugin's output; passes its log
    /// lines to `log`.
    package func load(
        _ image: PluginImage, timeout: Int32 = 10_000, log: (String) -> Void
    ) throws -> Finding {
        let worker = try withExtendedLifetime(image) {
            try spawn.start(WorkerKey(plugin: image.displayPath, home: home, own: [:]), image)
        }
        defer { Self.end(worker) }
        var chunk = [UInt8](repeating: 0, count: 16_384)
        // The deadline does not depend on the plugin's messages.
        let deadline = bgrun_monotonic_ns().saturatingAdding(Int64(timeout) * 1_000_000)
        while true {
            let left = deadline.saturatingSubtracting(bgrun_monotonic_ns()) / 1_000_000
            guard left > 0 else { return .hung }
            var polled = pollfd(fd: worker.control.descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, Int32(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { continue }
            let count = read(worker.control.descriptor, &chunk, chunk.count)
            guard count > 0 else { return .died(Self.death(of: worker)) }
            worker.frames.append(chunk[..<count])
            do throws(WireError) {
                while let payload = try worker.frames.next() {
                    switch try WorkerMessage(payload: payload).bounded {
                    case .loaded(let loaded): return .loaded(loaded)
                    case .refused(let reason): return .refused(reason)
                    case .log(_, _, let text): log(text.cut(to: spawn.lineLimit))
                    default: break
                    }
                }
            } catch {
                return .died("it wrote to bgrun's channel while it was loaded")
            }
        }
    }

    /// How long a worker may take to end after it has closed its channel.
    private static let endTimeout: Int32 = 2_000

    /// Waits for a worker to end, and ends it on timeout; returns a sentence about how it ended.
    package static func death(of worker: WorkerProcess) -> String {
        if !worker.waitForEnd(milliseconds: endTimeout) {
            worker.killEverything()
            guard worker.waitForEnd(milliseconds: endTimeout) else {
                return "it closed its channel to bgrun and cannot be killed"
            }
        }
        switch reap(worker) {
        case .exited(let code): return "it ended its process with exit code \(code)"
        case .signalled(let signal): return "it died of signal \(signal)"
        }
    }

    /// Kills a worker and all processes it started, and reaps it.
    private static func end(_ worker: WorkerProcess) {
        worker.killEverything()
        guard worker.death == nil, worker.waitForEnd(milliseconds: endTimeout) else { return }
        _ = reap(worker)
    }

    private static func reap(_ worker: WorkerProcess) -> RunningWork.Death {
        var status: Int32 = 0
        while waitpid(worker.pid, &status, 0) < 0, errno == EINTR {}
        let death = RunningWork.Death(status: status)
        worker.death = death
        return death
    }
}
