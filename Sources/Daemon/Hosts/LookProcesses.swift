// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import CBGRunShims
import Glibc

/// Runs processes that inspect manifests, one at a time, each for a limited time: an unresponsive
/// file system must not block the daemon, even if the process cannot be killed.
///
/// Belongs to the loop's thread.
final class LookProcesses {
    enum Outcome: Equatable {
        /// It has ended, with this output.
        case ended(HostsRule.End, String)
        /// It took longer than the limit.
        case late
        case failed(SystemFailure)
    }

    private struct Job {
        var name: String
        var arguments: [String]
        var isReplaceable: Bool
        var done: (Outcome) -> Void
    }

    private let processes: HostProcess
    private let limit: Int64
    private var waiting: [Job] = []
    private var current: (job: Job, process: ProcessHandle, output: Int32)?
    private var timer: LoopTimer?

    /// - Parameter limit: The time limit of a process in nanoseconds.
    init(_ loop: EventLoop, _ processes: HostProcess, limit: Int64) throws(SystemFailure) {
        self.processes = processes
        self.limit = limit
        timer = try LoopTimer(loop) { [unowned self] in
            current?.process.signal(SIGKILL)
            finish(.late)
        }
    }

    deinit {
        if let current { close(current.output) }
    }

    /// Whether an inspection of `name` is running or queued.
    func isAbout(_ name: String) -> Bool {
        current?.job.name == name || waiting.contains { $0.name == name }
    }

    /// Starts a process after the earlier ones have ended; calls `done` once, but not after `cancel`.
    /// - Parameter isReplaceable: Whether a later one may replace it while it waits; then `done` is not called:
    ///   a manifest may change endlessly, so at most two inspections of it wait.
    func run(
        _ arguments: [String], about name: String, isReplaceable: Bool = false,
        done: @escaping (Outcome) -> Void
    ) {
        waiting.removeAll { $0.isReplaceable && $0.name == name }
        waiting.append(
            Job(name: name, arguments: arguments, isReplaceable: isReplaceable, done: done))
        startNext()
    }

    /// Inspects the changed manifest `name` of a hosted app.
    ///
    /// - Parameters:
    ///   - looking: The arguments of a process that prints its `ManifestFacts`.
    ///   - trusting: Those of a process that prints why others could change it, or nothing.
    ///   - done: Called with the reason why its host does not adopt it; nil: it does. Not called if an
    ///     inspection failed, or a later one has taken its place.
    func review(
        _ name: String, of app: String, looking: [String], trusting: [String],
        done: @escaping (String?) -> Void
    ) {
        run(looking, about: name, isReplaceable: true) { [unowned self] in
            guard case .ended(_, let text) = $0 else { return }
            if let problem = Self.problem(in: text, of: app) { return done(problem) }
            // The next process would take the place of a later inspection.
            guard !isAbout(name) else { return }
            run(trusting, about: name, isReplaceable: true) {
                guard case .ended(.exit(0), let refusal) = $0 else { return }
                done(refusal.isEmpty ? nil : "others could change it: \(refusal)")
            }
        }
    }

    private static func problem(in text: String, of app: String) -> String? {
        guard let found = ManifestFacts(text)?.app else {
            return ManifestFacts.problem(in: text) ?? "it is not valid"
        }
        return found == app ? nil : "its `app` is \(found) now"
    }

    /// Inspections that have not begun.
    var waitingCount: Int { waiting.count }

    /// Cancels the inspection of `name`; false if none was running.
    func cancel(_ name: String) -> Bool {
        let isAbout = isAbout(name)
        waiting.removeAll { $0.name == name }
        if let current, current.job.name == name {
            current.process.signal(SIGKILL)
            self.current?.job.done = { _ in }
            finish(.late)
        }
        return isAbout
    }

    /// A child has ended; false if it is not one of these processes.
    func ended(_ pid: pid_t, _ end: HostsRule.End) -> Bool {
        guard let current, current.process.pid == pid else { return false }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = read(current.output, &text, text.count)
        finish(.ended(end, String(decoding: text.prefix(max(0, count)), as: UTF8.self)))
        return true
    }

    private func finish(_ outcome: Outcome) {
        guard let current else { return }
        self.current = nil
        timer?.set(elapsed: nil)
        close(current.output)
        current.job.done(outcome)
        startNext()
    }

    private func startNext() {
        guard current == nil, !waiting.isEmpty else { return }
        let job = waiting.removeFirst()
        do throws(SystemFailure) {
            let (process, output) = try processes.look(job.arguments)
            precondition(output >= 0, "output \(output) of a look")
            current = (job, process, output)
            timer?.set(elapsed: bgrun_boottime_ns() + limit)
        } catch {
            job.done(.failed(error))
            startNext()
        }
    }
}
