// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLog
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor

/// The imperative shell around the engine: feeds it what happens, makes what it decides durable,
/// then does it. Decides nothing itself. Belongs to the loop's thread.
package final class Host {
    /// The manifest in effect.
    package internal(set) var manifest: Manifest
    /// Its tasks by declared identifier.
    var definitions: [String: TaskDefinition]
    var reloading = ManifestReload()
    /// Features only read it; they feed it with `send` and `ask`.
    package internal(set) var engine: Engine
    var queue: EventQueue
    var record: EngineRecord
    /// Features only read it; they write it with `save`, and with what they say is to be stored.
    package let store: any HostStore
    package let loop: EventLoop
    package let clock: any HostClock
    package let log: any HostLog
    package let supervisor: any AttemptSupervisor
    private(set) var features: [any HostFeature] = []
    /// The absolute path of the app's state; nil if the app has no state on the disk.
    package let stateDirectory: String?
    package let ending: Ending
    var life: Life
    var device: DeviceTracking
    var attempts = HostAttempts()
    var tickets = Tickets()
    var checkpoints: Checkpoints
    var unsaved = Unsaved()
    var stall = Stall()
    var wakeTimer: (any HostTimer)?
    private var clockWatch: AnyObject?
    weak var observer: (any HostObserver)?
    let leftovers: any LeftoverProcesses

    /// How far a host has come.
    struct Life {
        /// What ran when the last host died, for `start`.
        var interrupted: [InterruptedAttempt]
        /// Nil before `start`.
        var startedAt: WallTime?
        /// Whether the shutdown waits for warm workers to end.
        var isRetiring = false
        var isAskedToEnd = false
        var hasFailures = false
        var breakdown: StoreError?
        /// Attempts whose end was to be stored when the store failed, by id.
        var unstoredEnds: [Int64: String] = [:]
    }

    /// Whether an attempt of this host failed or expired.
    package var hasFailures: Bool {
        get { life.hasFailures }
        set { life.hasFailures = newValue }
    }
    /// What made the host stop working; it has stopped.
    package var breakdown: StoreError? { life.breakdown }

    /// When the host ends by itself.
    package enum Ending: Sendable {
        /// Once nothing is pending and nothing runs.
        case whenIdle
        /// Once what can be launched now has run (`--once`).
        case afterOneRound
        /// When it is told to.
        case never
    }

    package struct Ports {
        var loop: EventLoop
        var store: any HostStore
        /// How long the loop blocks for another program that is writing to the store.
        var busyTimeout = Interval.milliseconds(50)
        package var clock: any HostClock
        package var log: any HostLog
        /// The `bgrun-worker` executable.
        package var workerExecutable: String
        /// Records what the engine is fed; nil for no record.
        var journal: Journal?
        /// Checks a plugin's file and opens it.
        package var image: (Manifest, _ plugin: String) -> Result<PluginImage, PluginRefusal>
        /// What the engine draws from.
        package var random: any RandomNumberGenerator
        /// Where the app's state is; nil: what needs it is off.
        package var state: StateDirectory?
        /// The supervisor of attempts; nil: a `Supervisor`.
        package var supervisor: (any AttemptSupervisor)?
        /// Ends what an earlier host has left behind.
        package var leftovers: any LeftoverProcesses = SystemLeftovers()
        /// The soft limit of open descriptors that workers get; nil: the host's own.
        package var workerDescriptorLimit: UInt64?
        package var attemptLimits = AttemptLimits()
        /// They start in this order, and stop in the reverse one.
        package var features: [HostFeatureMaker] = []
        /// Is told what the host does, as long as it lives.
        package weak var observer: (any HostObserver)?

        package init(
            loop: EventLoop, store: any HostStore, clock: any HostClock, log: any HostLog,
            journal: Journal? = nil, workerExecutable: String,
            image:
                @escaping (Manifest, _ plugin: String) -> Result<PluginImage, PluginRefusal>,
            random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        ) {
            self.loop = loop
            self.store = store
            self.clock = clock
            self.log = log
            self.journal = journal
            self.workerExecutable = workerExecutable
            self.image = image
            self.random = random
        }
    }

    package init(_ manifest: Manifest, _ ports: Ports, ending: Ending) throws {
        self.manifest = manifest
        self.ending = ending
        store = ports.store
        stall.busyTimeout = ports.busyTimeout
        loop = ports.loop
        clock = ports.clock
        log = ports.log
        observer = ports.observer
        queue = EventQueue(asleep: ports.clock.asleep)
        stateDirectory = ports.state?.absolutePath
        record = EngineRecord(journal: ports.journal, random: NotedRandom(ports.random))
        leftovers = ports.leftovers
        definitions = manifest.definitions
        checkpoints = Checkpoints(stored: try ports.store.checkpointed())
        let (restoration, interrupted) = try ports.store.restoration()
        life = Life(interrupted: interrupted)
        engine = Engine(
            manifest.engineConfiguration, device: manifest.device, restoring: restoration)
        device = DeviceTracking(manifest.device)
        supervisor =
            ports.supervisor
            ?? Supervisor(
                ports.loop, executable: ports.workerExecutable,
                limits: SupervisorLimits(manifest.policy), app: manifest.appOfPlugins,
                store: ports.store.path, descriptorLimit: ports.workerDescriptorLimit,
                bound: ports.attemptLimits.bound)
        supervisor.image = { [unowned self] name in
            let manifest = features.lazy.compactMap { $0.manifest(ofPlugin: name) }.first
            return ports.image(manifest ?? self.manifest, name)
        }
        supervisor.onNotice = { [unowned self] in take($0) }
        supervisor.pendingHandlers = self
        features = try ports.features.compactMap { try $0(self, ports) }
        wakeTimer = try clock.timer(ports.loop) { [unowned self] in send(.timer) }
        device.timer = try clock.timer(ports.loop) { [unowned self] in settleDevice() }
        stall.timer = try clock.timer(ports.loop) { [unowned self] in tryStore() }
        clockWatch = try clock.watch(ports.loop) { [unowned self] in send(.timer) }
    }

    /// Launches what is eligible and continues with what happens; returns at once, the loop does the
    /// rest. What outlived an earlier host is killed first.
    package func start() throws {
        try killLeftovers()
        supervisor.spareChildren()
        for row in store.damaged.sorted(by: { $0.message < $1.message }) {
            say(.error, row.message)
        }
        say(.info, statusLine)
        queue.asleep = clock.asleep
        for feature in features { feature.willStart() }
        life.startedAt = now
        beginJournal()
        for feature in features {
            queue.insert(feature.eventsDue(at: clock.now))
            feature.start()
        }
        // What came before is known before anything is launched.
        let start: [Event] = ending == .afterOneRound ? [.startOnce, .closeAdmission] : [.start]
        queue.insert(queue.first + [.recover(interrupted)])
        for event in start { queue.append(event) }
        life.interrupted = []
        handleEvents()
    }

    /// SIGCHLD came.
    package func childrenEnded() { supervisor.childrenEnded() }

    /// Expires what runs, waits for it, then has the loop stop. A store that is busy is waited for a moment.
    package func shutDown() {
        life.isAskedToEnd = true
        waitShortly()
        send(.shutdown)
    }

    /// A person or the service manager asks for the end: from the second time on without grace, and
    /// without a store that is busy.
    package func end() {
        guard life.isAskedToEnd else { return shutDown() }
        if stall.since == nil { killEverything() } else { breakDown(.busy(path: store.path)) }
    }

    /// Kills what runs, without grace.
    package func killEverything() {
        for attempt in attempts.views.keys { supervisor.kill(attempt) }
        for feature in features.reversed() { feature.kill() }
    }

    /// Looks whether the store is still the one that was opened, and ends the host when it is not.
    package func checkStore() {
        guard breakdown == nil else { return }
        do throws(StoreError) { try store.checkFiles() } catch { breakDown(error) }
    }

    /// A store that cannot be written leaves nothing to promise: the host ends, and what runs is
    /// interrupted, to be run again by a host whose store can be.
    package func breakDown(_ error: StoreError) {
        life.breakdown = error
        say(.error, error.message)
        // The next host does not know the attempts of a store that is gone.
        if case .replaced = error {} else { sayUnstoredEnds() }
        for reply in tickets.takeAll() { reply(.refused(.unavailable)) }
        for feature in features { feature.close() }
        killEverything()
        loop.stop()
    }

    /// The calendar clock now.
    package var now: WallTime { clock.now.wall }

    /// Now, on both clocks.
    package var instant: Instant { clock.now }
}
