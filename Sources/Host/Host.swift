// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLog
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor

/// The imperative shell around the engine: passes it events, makes its decisions durable, then executes them. Decides
/// nothing itself. Belongs to the loop's thread.
package final class Host {
    /// The manifest in effect.
    package internal(set) var manifest: Manifest
    /// Its tasks by declared identifier.
    var definitions: [String: TaskDefinition]
    var reloading = ManifestReload()
    /// Features only read it; they send events with `send` and `ask`.
    package internal(set) var engine: Engine
    var queue: EventQueue
    var record: EngineRecord
    /// Features only read it; they write with `save`, and with the changes that they return.
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

    /// The phase of a host.
    struct Life {
        /// The attempts that ran when the last host died, for `start`.
        var interrupted: [InterruptedAttempt]
        /// Those whose requests were cancelled since.
        var cancelled: [InterruptedAttempt]
        /// Nil before `start`.
        var startedAt: WallTime?
        /// Whether the shutdown waits for warm workers to end.
        var isRetiring = false
        var isAskedToEnd = false
        var hasFailures = false
        var breakdown: StoreError?
        /// Attempts whose end was not stored when the store failed, by id.
        var unstoredEnds: [Int64: String] = [:]
    }

    /// Whether an attempt of this host failed or expired.
    package var hasFailures: Bool {
        get { life.hasFailures }
        set { life.hasFailures = newValue }
    }
    /// The failure that stopped the host.
    package var breakdown: StoreError? { life.breakdown }

    /// When the host ends by itself.
    package enum Ending: Sendable {
        /// Once nothing is pending and nothing runs.
        case whenIdle
        /// Once everything that can be launched now has run (`--once`).
        case afterOneRound
        /// Only on request.
        case never
    }

    package struct Ports {
        var loop: EventLoop
        var store: any HostStore
        /// How long the loop blocks while another program writes to the store.
        var busyTimeout = Interval.milliseconds(50)
        package var clock: any HostClock
        package var log: any HostLog
        /// The `bgrun-worker` executable.
        package var workerExecutable: String
        /// Records the engine's input; nil: no record.
        var journal: Journal?
        /// Checks a plugin's file and opens it.
        package var image: (Manifest, _ plugin: String) -> Result<PluginImage, PluginRefusal>
        /// The source of the engine's random numbers.
        package var random: any RandomNumberGenerator
        /// The location of the app's state; nil: everything that needs it is off.
        package var state: StateDirectory?
        /// The supervisor of attempts; nil: a `Supervisor`.
        package var supervisor: (any AttemptSupervisor)?
        /// Ends processes of an earlier host.
        package var leftovers: any LeftoverProcesses = SystemLeftovers()
        /// The soft limit of open descriptors that workers get; nil: the host's own.
        package var workerDescriptorLimit: UInt64?
        package var attemptLimits = AttemptLimits()
        /// Confines workers; nil: only tasks without a confinement can run.
        package var confiner: (any WorkerConfiner)?
        /// They start in this order and stop in reverse order.
        package var features: [HostFeatureMaker] = []
        /// Receives events about the host during its lifetime.
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
        life = Life(interrupted: interrupted, cancelled: try ports.store.cancelledAttempts())
        engine = Engine(
            manifest.engineConfiguration, device: manifest.device, restoring: restoration)
        device = DeviceTracking(manifest.device)
        supervisor =
            ports.supervisor
            ?? Supervisor(
                ports.loop, executable: ports.workerExecutable,
                limits: SupervisorLimits(manifest.policy), app: manifest.appOfPlugins,
                store: ports.store.path, descriptorLimit: ports.workerDescriptorLimit,
                bound: ports.attemptLimits.bound, confiner: ports.confiner)
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

    /// Launches eligible requests and continues with events; returns at once, the loop does the rest. First kills
    /// processes that outlived an earlier host.
    package func start() throws {
        guard breakdown == nil else { return loop.stop() }
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
        // The engine receives the interrupted attempts before the first launch.
        let start: [Event] = ending == .afterOneRound ? [.startOnce, .closeAdmission] : [.start]
        queue.insert(queue.first + [.recover(interrupted)])
        for event in start { queue.append(event) }
        life.interrupted = []
        handleEvents()
    }

    /// The ends of an earlier host's attempts whose requests were cancelled since, for the first round. The engine is
    /// not told: it would make the requests pending again.
    func takeCancelledEnds() -> [Action] {
        defer { life.cancelled = [] }
        return life.cancelled.flatMap { attempt -> [Action] in
            let request = attempt.request
            let newer = engine.pendingRequest(request.identifier)
            return [
                .record(.ended(identifier: request.identifier, attempt: attempt.id, .interrupted)),
                .record(newer.map { .superseded(request, by: $0.id) } ?? .cancelled(request)),
            ]
        }
    }

    /// Call it on SIGCHLD.
    package func childrenEnded() { supervisor.childrenEnded() }

    /// Expires running attempts, waits for them, then stops the loop. Waits briefly for a busy store.
    package func shutDown() {
        life.isAskedToEnd = true
        waitShortly()
        send(.shutdown)
    }

    /// A person or the service manager requests the end: from the second request on without grace, and without waiting
    /// for a busy store.
    package func end() {
        guard life.isAskedToEnd else { return shutDown() }
        if stall.since == nil { killEverything() } else { breakDown(.busy(path: store.path)) }
    }

    /// Kills all running attempts, without grace.
    package func killEverything() {
        for attempt in attempts.views.keys { supervisor.kill(attempt) }
        for feature in features.reversed() { feature.kill() }
    }

    /// Checks that the store and the databases of features are still the opened ones, and ends the host otherwise.
    package func checkFiles() {
        guard breakdown == nil else { return }
        do throws(StoreError) {
            try store.checkFiles()
            for feature in features { try feature.checkFiles() }
        } catch {
            breakDown(error)
        }
    }

    /// With a store that cannot be written no promise can be kept: the host ends, and interrupts running attempts. The
    /// next host with a working store runs them again.
    package func breakDown(_ error: StoreError) {
        life.breakdown = error
        say(.error, error.message)
        // The next host does not know the attempts of a lost store.
        if error != .replaced(path: store.path) { sayUnstoredEnds() }
        for reply in tickets.takeAll() { reply(.refused(.unavailable)) }
        for feature in features { feature.close() }
        killEverything()
        loop.stop()
    }

    /// The present time on the calendar clock.
    package var now: WallTime { clock.now.wall }

    /// The present time on both clocks.
    package var instant: Instant { clock.now }
}
