// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import CBGRunPlugin
import CBGRunShims

/// Runs hooks, one at a time: each is an attempt of `exec.run` in its own worker, so that everything it starts is found
/// and killed when its time is over. `bgrun-post` makes web requests. Belongs to the loop's thread.
final class HookRunner {
    private let loop: EventLoop
    private let supervisor: any AttemptSupervisor
    /// The `bgrun-post` executable.
    private let poster: String
    /// For the end of the current hook, or its next try; made in advance, since descriptors may be short later.
    private var timer: LoopTimer?
    private var current: (attempt: Int64, begin: () -> Void, ended: (AttemptEnd) -> Void)?
    /// The current hook has not begun: no worker can be started for it now.
    private(set) var isWaiting = false
    /// The current or last hook was killed: the next host must run it.
    private(set) var isKilled = false

    /// - Parameter workerExecutable: `bgrun-worker`; `bgrun-post` is in the same directory.
    init(_ loop: EventLoop, _ supervisor: any AttemptSupervisor, workerExecutable: String) {
        self.loop = loop
        self.supervisor = supervisor
        poster = HostPrograms.path("bgrun-post", beside: workerExecutable)
        timer = makeTimer()
    }

    private func makeTimer() -> LoopTimer? {
        try? LoopTimer(loop) { [unowned self] in
            if isWaiting { current?.begin() } else { expire() }
        }
    }

    var isRunning: Bool { current != nil }

    /// Attempts of hooks have the numbers -1, -2, ...: the engine's are positive, and those of other features are far
    /// lower.
    static func isHook(attempt: Int64) -> Bool { attempt < 0 && attempt > .min / 2 }

    /// Runs `hook`; calls `ended` once, when everything that it started has ended.
    /// - Parameter id: Positive, and not used by another running hook.
    func run(
        _ id: Int64, _ hook: HookDefinition, _ event: HookEvent, of manifest: Manifest,
        ended: @escaping (AttemptEnd) -> Void
    ) {
        precondition(current == nil, "one hook at a time")
        precondition(Self.isHook(attempt: -id), "hook \(id) has a number of other attempts")
        let attempt = -id  // fits: it is positive
        let begin = { [unowned self] in start(attempt, hook, event, of: manifest) }
        current = (attempt, begin, ended)
        isKilled = false
        begin()
    }

    private func start(
        _ attempt: Int64, _ hook: HookDefinition, _ event: HookEvent, of manifest: Manifest
    ) {
        isWaiting = false
        timer = timer ?? makeTimer()
        guard let timer else {
            return end(attempt, .failed, "no timer can be made to end it: too few file descriptors")
        }
        // A web request enforces the limit itself, and gets extra time to report why it failed.
        let extra: Interval = if case .post = hook.action { .seconds(2) } else { .zero }
        let deadline = bgrun_boottime_ns().saturatingAdding(hook.timeout.nanoseconds)
            .saturatingAdding(extra.nanoseconds)
        let work = Work(
            key: WorkerKey(plugin: Self.plugin, environment: [:]),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: event.identifier, kind: TaskKind.processing.rawValue,
                attemptNumber: 1, action: .handler("run"),
                parameters: parameters(hook, event), manifestDirectory: manifest.directory,
                deadlineBoottime: deadline, assertionLimitNanoseconds: 0,
                device: HostMessage.Device(DeviceState()), checkpoint: nil))
        if case .short = supervisor.prepare(work) { return retry() }
        timer.set(elapsed: deadline)
        supervisor.launch(attempt)
    }

    /// The delay after a worker could not be started for lack of a resource.
    private static let retryDelay = Interval.seconds(1)

    private func retry() {
        isWaiting = true
        let delay = Self.retryDelay.nanoseconds
        timer?.set(elapsed: bgrun_boottime_ns() + delay)
    }

    private func end(_ attempt: Int64, _ outcome: Outcome, _ message: String? = nil) {
        take(.ended(attempt: attempt, AttemptEnd(outcome: outcome, message: message)))
    }

    /// Handles a notice about the attempt of a hook.
    func take(_ notice: AttemptNotice) {
        switch notice {
        case .ended(let attempt, let end):
            guard let current, attempt == current.attempt else { return }
            self.current = nil
            isWaiting = false
            timer?.set(elapsed: nil)
            current.ended(end)
        case .call(_, _, let answer):
            answer(HostMessage.Answer(status: BGRUN_E_STATE))
        case .deferred(let attempt, _):
            // Its worker could not start for lack of a resource: the hook has not begun.
            guard attempt == current?.attempt else { return }
            if isKilled { end(attempt, .refused) } else { retry() }
        case .loaded, .registered, .waits, .began, .progress, .title, .line, .assertionBegan,
            .assertionEnded, .reported:
            break
        }
    }

    /// Kills the running hook.
    func kill() {
        guard let current else { return }
        isKilled = true
        if isWaiting { end(current.attempt, .refused) } else { supervisor.kill(current.attempt) }
    }

    private func expire() {
        guard let current else { return }
        supervisor.expire(
            current.attempt, .time, grace: .zero, deadlineElapsed: bgrun_boottime_ns())
        supervisor.kill(current.attempt)
    }

    // MARK: workers of hooks

    /// The name of the workers that run hooks; no plugin of a manifest can have it.
    static let plugin = "hook:exec"

    /// A manifest with only the plugin of hooks.
    static func manifest(of manifest: Manifest) -> Manifest {
        manifest.with(shipped: "exec", as: plugin)
    }

    private func parameters(_ hook: HookDefinition, _ event: HookEvent) -> String {
        var values = ["input": JSONValue.string(event.json + "\n")]
        switch hook.action {
        case .run(let parameters):
            let own = JSONValue(parameters.utf8)?.object ?? [:]
            values.merge(own) { input, _ in input }
            let variables = own["environment"]?.object ?? [:]
            values["environment"] = .object(
                event.environment.mapValues(JSONValue.string).merging(variables) { $1 })
        case .post(let address, let headersFile, let authoritiesFile):
            let seconds = max(1, hook.timeout.nanoseconds / 1_000_000_000)
            var argv = [poster, "--timeout", String(seconds), "--agent", "bgrun/\(Version.text)"]
            if let headersFile { argv += ["--headers", headersFile] }
            if let authoritiesFile { argv += ["--ca", authoritiesFile] }
            values["argv"] = .array((argv + [address]).map(JSONValue.string))
        }
        return JSONValue.object(values).text ?? "{}"
    }
}
