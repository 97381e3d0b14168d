// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc

/// One worker: its process and the four descriptors the host holds of it.
package final class WorkerProcess {
    let key: WorkerKey
    package let identity: ProcessIdentity
    /// Identifies the process even after it was reaped.
    private let handle: ProcessHandle
    package var launch: Outlet
    package var control: Outlet
    package let output: Int32
    package let error: Int32
    package var frames = FrameBuffer()
    var outputLines: LineSplitter
    var errorLines: LineSplitter
    var work: RunningWork?
    /// What it has shown since its last attempt; counts for the next one.
    var earlySigns = RunningWork.Signs()
    var open = OpenCalls()
    /// Lists it has asked for.
    var parts = PartedAnswers()
    /// Whether the next part of them is sent in the next round.
    var isPartDue = false
    /// Whether it is still to be told the device's state.
    var isDeviceDue = false
    var plugin = LoadedFile(nil)
    /// It has spoken. Only its first frame is bgrun's own for certain: the code of its plugin runs later.
    var hasSpoken = false
    /// Its plugin's init has returned; without a plugin, from the start.
    var hasLoaded: Bool
    /// The handlers of its plugin; nil before it is loaded, and for foreign functions.
    var loaded: WorkerMessage.Loaded?
    var registeredAtInit: [Registration] = []
    /// It has registered handlers since the last notice.
    var hasUntoldRegistrations = false
    /// How the process ended; it may have left others behind.
    var death: RunningWork.Death?
    /// Its processor time in milliseconds; nil while it lives.
    var processorAtDeath: Int64?
    /// The same when its last attempt ended.
    var processorAtEnd: Int64 = 0
    /// SIGTERM was sent to everything: what it left behind has until SIGKILL.
    var isTerminating = false
    /// SIGKILL is sent to it, or will be next.
    var isEnding = false
    var isStopped = false
    /// Identifiers and patterns for which its plugin registered a handler after its init: their
    /// continued tasks run only here.
    var dynamicIdentifiers: Set<String> = [] {
        didSet { knownRule = nil }
    }
    private var knownRule: IdentifierRule?
    /// The pending request that it is kept for beyond the limits of the pool.
    var heldFor: String?
    /// Attempts that run here after the current one, in this order.
    var waiting: [Work] = []
    /// Of the supervisor, when it was started.
    var generation = 0
    /// Lines it has written between attempts; above a limit, further lines are dropped.
    var strayLines = 0
    /// When it became idle, on the elapsed clock.
    var idleSince: Int64 = 0

    init(
        key: WorkerKey, identity: ProcessIdentity, handle: ProcessHandle, launch: Int32,
        control: Int32, output: Int32, error: Int32, lineLimit: Int
    ) {
        precondition(identity.pid > 1, "process \(identity.pid) cannot be a worker")
        precondition(min(launch, control, output, error) >= 0, "a worker without descriptors")
        self.key = key
        hasLoaded = key.plugin == nil
        self.identity = identity
        self.handle = handle
        self.launch = Outlet(launch)
        self.control = Outlet(control)
        self.output = output
        self.error = error
        outputLines = LineSplitter(limit: lineLimit)
        errorLines = LineSplitter(limit: lineLimit)
    }

    deinit {
        launch.closePassing()
        for descriptor in descriptors { close(descriptor) }
    }

    package var pid: pid_t { identity.pid }

    /// For a signal handler; closed with this object.
    package var pidfd: Int32 { handle.descriptor }

    /// Those of its attempt; without one, those that count for the next.
    var signs: RunningWork.Signs {
        get { work?.signs ?? earlySigns }
        set { if work == nil { earlySigns = newValue } else { work?.signs = newValue } }
    }

    /// The identifiers that `dynamicIdentifiers` permit.
    var dynamicRule: IdentifierRule {
        if let knownRule { return knownRule }
        let rule = IdentifierRule(permitting: Array(dynamicIdentifiers))
        knownRule = rule
        return rule
    }

    var descriptors: [Int32] { [launch.descriptor, control.descriptor, output, error] }

    /// Suspends it: between attempts a worker burns no time.
    func suspend() {
        handle.signal(SIGSTOP)
        isStopped = true
    }

    func resume() {
        guard isStopped else { return }
        handle.signal(SIGCONT)
        isStopped = false
    }

    /// Sends `signal`, once, to the process and to everything it started: as a child subreaper it
    /// keeps all of that below it.
    func signalEverything(_ signal: Int32) {
        // A stopped process takes a signal when it continues.
        for number in [signal, SIGCONT] {
            ProcessTree.signal(number, below: pid)
            handle.signal(number)
        }
    }

    /// Kills the process and all processes it started, however long that takes; for callers that
    /// may block. Processes started in the meantime become children of the caller, where they are
    /// found.
    package func killEverything() {
        var sweep = beginKilling()
        while !sweep.step() {}
        kill()
    }

    /// Stops the process; the processes it started are killed in parts, and then `kill` is called.
    func beginKilling(
        _ sweep: (_ root: pid_t) -> KillSweep = { KillSweep(below: $0) }
    ) -> KillSweep {
        handle.signal(SIGSTOP)
        return sweep(pid)
    }

    func kill() { handle.signal(SIGKILL) }

    /// Waits for it to end, at most this many milliseconds; whether it has ended.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        handle.waitForEnd(milliseconds: milliseconds)
    }
}
