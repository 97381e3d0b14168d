// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import CBGRunPlugin
import CBGRunShims
import Glibc

/// One worker of a trial, used without an event loop: one attempt, one script at a time.
final class TrialWorker {
    let process: WorkerProcess
    private let site: TrialSite
    private var hasEnded = false
    private var chunk = [UInt8](repeating: 0, count: 65_536)
    /// The remarks about the load, before the first attempt.
    private(set) var loadRemarks: [AttemptRecord.Remark] = []

    /// The result of one read from the worker.
    enum Arrival {
        case messages([WorkerMessage])
        case nonsense
        case closed
        case nothing
    }

    init(_ process: WorkerProcess, site: TrialSite) {
        self.process = process
        self.site = site
    }

    deinit {
        end()
    }

    /// Kills the worker and its descendants. Returns the way it had ended, if it had.
    @discardableResult
    func end() -> String? {
        guard !hasEnded else { return nil }
        hasEnded = true
        return site.end(process)
    }

    /// Waits until the plugin is loaded, at most this many nanoseconds.
    func load(within limit: Int64) -> PluginProbe.Finding {
        let deadline = bgrun_monotonic_ns().saturatingAdding(limit)
        while true {
            let left = deadline - bgrun_monotonic_ns()
            guard left > 0 else { return .hung }
            switch receive(within: left) {
            case .nothing: continue
            case .closed: return .died(end() ?? "it ended")
            case .nonsense: return .died("it wrote to bgrun's channel while it was loaded")
            case .messages(let messages):
                for message in messages {
                    switch message {
                    case .loaded(let loaded): return .loaded(loaded)
                    case .refused(let reason): return .refused(reason)
                    case .remark(let attempt, let call, let status)
                    where loadRemarks.count < AttemptRecord.most:
                        loadRemarks.append(
                            AttemptRecord.Remark(attempt: attempt, call: call, status: status))
                    // A plugin may submit requests while it is loaded; the trial ignores them.
                    case .call(_, let number, _):
                        process.control.send(
                            HostMessage.answer(
                                call: number, HostMessage.Answer(status: BGRUN_OK)
                            ).frame)
                    default: break
                    }
                }
            }
        }
    }

    /// Waits for a message of the worker, at most this many nanoseconds. Reads and discards the
    /// handler's output.
    func receive(within nanoseconds: Int64) -> Arrival {
        var polled = [process.control.descriptor, process.output, process.error].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        process.launch.flush()
        process.control.flush()
        // While the worker does not read its messages, polls it at short intervals.
        let most: Int64 =
            process.launch.isBacklogged || process.control.isBacklogged ? 5 : 60_000
        let wait = max(1, min(nanoseconds / 1_000_000, most))
        // fits: 1 to 60,000
        guard poll(&polled, 3, Int32(wait)) > 0 else { return .nothing }
        for output in polled[1...] where output.revents != 0 {
            // A closed pipe is always ready; the channel reports the end of the worker.
            if read(output.fd, &chunk, chunk.count) == 0 { sched_yield() }
        }
        guard polled[0].revents != 0 else { return .nothing }
        let count = read(process.control.descriptor, &chunk, chunk.count)
        guard count > 0 else {
            return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .closed
        }
        process.frames.append(chunk[..<count])
        do throws(WireError) {
            var messages: [WorkerMessage] = []
            while let payload = try process.frames.next() {
                messages.append(try WorkerMessage(payload: payload).bounded)
            }
            return .messages(messages)
        } catch {
            return .nonsense
        }
    }
}
