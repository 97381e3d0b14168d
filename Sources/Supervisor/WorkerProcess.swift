// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc

/// One worker: its process and the host's four descriptors for it.
package final class WorkerProcess {
    let key: WorkerKey
    package let identity: ProcessIdentity
    /// Identifies the process even after it was reaped.
    private let handle: ProcessHandle
    /// For a confined worker; its process is then bgrun-init's first one, which ends as the worker ends.
    let link: InitLink?
    package var launch: Outlet
    package var control: Outlet
    package let output: Int32
    package let error: Int32
    package var frames = FrameBuffer()
    var outputLines: LineSplitter
    var errorLines: LineSplitter
    var work: RunningWork?
    /// Observations since its last attempt; they count for the next one.
    var earlySigns = RunningWork.Signs()
    var open = OpenCalls()
    /// Lists that it has requested.
    var parts = PartedAnswers()
    /// Whether their next part is sent in the next round.
    var isPartDue = false
    /// Whether it must still receive the device's state.
    var isDeviceDue = false
    var plugin = LoadedFile(nil)
    /// Whether it has sent a message. Only its first frame is certainly from bgrun: its plugin's code runs later.
    var hasSpoken = false
    /// Whether its plugin's init has returned; without a plugin, true from the start.
    var hasLoaded: Bool
    /// The handlers of its plugin; nil before it is loaded, and for foreign functions.
    var loaded: WorkerMessage.Loaded?
    var registeredAtInit: [Registration] = []
    /// Whether it has registered handlers since the last notice.
    var hasUntoldRegistrations = false
    /// How the process ended; processes that it started may still run.
    var death: RunningWork.Death?
    /// Its processor time in milliseconds; nil while it lives.
    var processorAtDeath: Int64?
    /// The same at the end of its last attempt.
    var processorAtEnd: Int64 = 0
    /// SIGTERM was sent to everything: processes left behind have until SIGKILL.
    var isTerminating = false
    /// SIGKILL was sent to it, or will be next.
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
    /// The supervisor's generation when it was started.
    var generation = 0
    /// The number of lines written between attempts; above a limit, further lines are dropped.
    var strayLines = 0
    /// When it became idle, on the elapsed clock.
    var idleSince: Int64 = 0

    init(
        key: WorkerKey, identity: ProcessIdentity, handle: ProcessHandle, launch: Int32,
        control: Int32, output: Int32, error: Int32, lineLimit: Int, link: InitLink? = nil
    ) {
        precondition(identity.pid > 1, "process \(identity.pid) cannot be a worker")
        precondition(min(launch, control, output, error) >= 0, "a worker without descriptors")
        self.key = key
        hasLoaded = key.plugin == nil
        self.identity = identity
        self.handle = handle
        self.link = link
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

    /// The process that runs handlers; nil if it is not known.
    var handlerPid: pid_t? {
        guard let link else { return pid }
        link.read()
        return link.workerPid ?? (link.hasNamespaces ? nil : pid)
    }

    /// Whether the process that runs handlers runs; false while it is exiting. bgrun-init's own process ends later.
    var isHandlerAlive: Bool {
        guard identity.isAlive else { return false }
        guard let handlerPid else { return link?.hasWorkerEnded != true }
        return handlerPid == pid || ProcessIdentity(of: handlerPid)?.isAlive == true
    }

    /// For a signal handler; closed with this object.
    package var pidfd: Int32 { handle.descriptor }

    /// The observations of its attempt; without one, those for the next.
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

    /// Suspends it: between attempts a worker uses no processor time.
    func suspend() {
        signalHandler(SIGSTOP)
        isStopped = true
    }

    func resume() {
        guard isStopped else { return }
        signalHandler(SIGCONT)
        isStopped = false
    }

    private func signalHandler(_ number: Int32) {
        if link?.signalWorker(number) != true { handle.signal(number) }
    }

    /// Whether PID 1 of its namespace has no other child: a handler can give it some by clone(2) with CLONE_PARENT.
    var isAloneInNamespace: Bool {
        guard let namespace = link?.namespacePid else { return true }
        return ProcessTree.knownChildren(of: namespace) == handlerPid.map { [$0] }
    }

    /// Sends `signal`, once, to the process and to everything it started: as a child subreaper it keeps all of them
    /// below it.
    func signalEverything(_ signal: Int32) {
        // PID 1 must know before the worker ends.
        link?.signalNamespace(signal)
        // A stopped process handles a signal when it continues.
        for number in [signal, SIGCONT] {
            ProcessTree.signal(number, below: pid)
            handle.signal(number)
        }
    }

    /// Kills the process and all processes it started, however long that takes; for callers that may block. Processes
    /// started meanwhile become children of the caller, where they are found.
    package func killEverything() {
        if killNamespace() { return }
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

    /// Kills everything at once, if it has a PID namespace; the process then ends when nothing of it is left.
    func killNamespace() -> Bool { link?.killNamespace() == true }

    /// A worker that bgrun-init could not confine has not run anything of a plugin.
    func takeInitFailure() {
        link?.read()
        guard let failure = link?.failure, signs.refusal == nil else { return }
        if let resource = Resource(code: failure.code) {
            signs.shortage = resource
        } else {
            signs.refusal = failure.sentence
        }
    }

    /// Waits for it to end, at most this many milliseconds; returns whether it has ended.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        handle.waitForEnd(milliseconds: milliseconds)
    }
}
