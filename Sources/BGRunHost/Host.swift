// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunJournal
public import BGRunLoop
public import BGRunManifest
import BGRunReport
public import BGRunStore
public import BGRunSupervisor
import BGRunWire

/// The imperative shell around the engine: feeds it what happens, makes what it decides durable,
/// then does it. Decides nothing itself.
///
/// Belongs to the loop's thread.
public final class Host {
    public internal(set) var manifest: Manifest
    /// The changed manifest that is about to take effect.
    var manifestChange: ManifestChange?
    /// Whether the file says something else, which was not taken over.
    var hasRefusedManifest = false
    /// Attempts that were told to end for its sake.
    var stoppedForManifest: Set<Int64> = []
    let store: Store
    let loop: EventLoop
    let clock: any HostClock
    let log: any HostLog
    /// By declared identifier.
    var definitions: [String: TaskDefinition]
    public internal(set) var engine: Engine
    let supervisor: any AttemptSupervisor
    var wakeTimer: (any HostTimer)?
    private var clockWatch: ClockWatch?
    /// The absolute path of the app's state; nil: there is none on the disk.
    let stateDirectory: String?
    var random: NotedRandom
    /// What the engine is fed, for `replay`; nil when none is kept.
    var journal: Journal?
    /// Whether it will be written at the end of this round.
    var isJournaling = false
    /// What ran when the last host died, for `start`.
    private(set) var interrupted: [InterruptedAttempt]
    var events: [Event] = []
    /// What comes before all others when the host is started.
    var firstEvents: [Event] = []
    private var isHandling = false
    /// How long the machine had slept at the last event.
    private var asleep: Int64
    let ending: Ending
    /// Whether the shutdown waits for warm workers to end.
    var isRetiring = false
    private(set) var isStarted = false
    /// When it was started.
    private(set) var startedAt: WallTime?

    /// What the device says, before it has settled.
    var measured = DeviceState()
    var settle = SettleRule()
    var settleTimer: (any HostTimer)?
    /// The device as the engine was last told of it.
    var lastDevice: DeviceState
    /// The readings last sent to workers.
    var toldDevice: HostMessage.Device?
    /// The same for people: since when each reading is as it is.
    var bands: DeviceBands
    var lastNeeds = Needs()
    /// Called when other readings are needed than before: nothing else need be watched closely.
    public var needsChanged: ((Needs) -> Void)?
    /// Called before something is decided: what nobody has looked at for a while may be looked at.
    public var deciding: (() -> Void)?
    /// Called when other attempts run that take part of the room the apps of a machine share, or it is
    /// wanted otherwise than before.
    public var shareChanged: ((_ running: Int, _ wantsMore: Bool) -> Void)?
    /// Called when what has happened is handled: other attempts may run then, or requests be pending.
    public var handled: (() -> Void)?
    /// Called when transfers may stand otherwise than before.
    public var transfersTended: (() -> Void)?
    /// Called when the machine is about to sleep and no attempt runs any more.
    public var readyToSleep: (() -> Void)?

    /// Attempts that run, by id.
    var views: [Int64: RunningView] = [:]
    /// Whether the log will be shown what runs at the end of this round.
    var isShowing = false
    /// The tasks whose handler registration was logged.
    var registered: Set<String> = []
    /// The lines of attempts whose plugin is being loaded.
    var heldStarts: [Int64: LogLine] = [:]
    /// CLOCK_MONOTONIC when an attempt was launched.
    var launchedMonotonic: [Int64: Int64] = [:]
    /// How attempts ended, until the engine has heard of it.
    var ends: [Int64: AttemptEnd] = [:]
    var tickets: [Ticket: (Reply) -> Void] = [:]
    private var nextTicket: Ticket = 1
    /// The identifiers that have a checkpoint, so that the others need no look into the store.
    var checkpointed: Set<String>
    /// Attempts that have ended since old ones were looked for.
    var endedSinceLook = Host.endsBetweenLooks
    /// Lines of output and of the log that are not stored yet.
    var unsaved: [StoreChange] = []
    /// Whether they will be at the end of this round.
    var isSaving = false

    /// The round that waits for another program to release the store, since when, and whether log
    /// lines wait too.
    var stalled: Round?
    var stalledSince: Int64?
    var unsavedIsWaiting = false
    /// Checkpoints that wait for the store.
    var waitingCheckpoints: [CheckpointWrite] = []
    var stallTimer: (any HostTimer)?

    private(set) var features: [any HostFeature] = []

    /// Tickets whose answer is given after the sync at the end of the round, not one of its own.
    var lateTickets: Set<Ticket> = []

    /// Called when `overview` may be another than before, several times in a row.
    public var changed: (() -> Void)?

    /// Is told of each event with what the engine made of it, before that is carried out.
    public var observer: ((Event, [Action], Instant) -> Void)?

    /// Whether an attempt of this host failed or expired.
    public internal(set) var hasFailures = false
    /// What made the host stop working; it has stopped.
    public private(set) var breakdown: StoreError?

    /// When the host ends by itself.
    public enum Ending: Sendable {
        /// Once nothing is pending and nothing runs.
        case whenIdle
        /// Once what can be launched now has run (`--once`).
        case afterOneRound
        /// When it is told to.
        case never
    }

    public struct Ports {
        public var loop: EventLoop
        public var store: Store
        public var clock: any HostClock
        public var log: any HostLog
        /// The `bgrun-worker` executable.
        public var workerExecutable: String
        /// Records what the engine is fed; nil for no record.
        public var journal: Journal?
        /// Checks a plugin's file and opens it.
        public var image: (Manifest, _ plugin: String) -> Result<PluginImage, PluginRefusal>
        /// What the engine draws from.
        public var random: any RandomNumberGenerator
        /// Where the app's state is; nil: what needs it is off.
        public var state: StateDirectory?
        /// The supervisor of attempts; nil: a `Supervisor`.
        public var supervisor: (any AttemptSupervisor)?
        /// The soft limit of open descriptors that workers get; nil: the host's own.
        public var workerDescriptorLimit: UInt64?
        public var features = HostFeatures()

        public init(
            loop: EventLoop, store: Store, clock: any HostClock, log: any HostLog,
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

    public init(_ manifest: Manifest, _ ports: Ports, ending: Ending) throws {
        self.manifest = manifest
        self.ending = ending
        store = ports.store
        loop = ports.loop
        clock = ports.clock
        log = ports.log
        asleep = ports.clock.asleep
        stateDirectory = ports.state?.absolutePath
        journal = ports.journal
        random = NotedRandom(ports.random)
        definitions = manifest.definitions
        checkpointed = try ports.store.checkpointed()
        let (restoration, interrupted) = try ports.store.restoration()
        self.interrupted = interrupted
        engine = Engine(
            manifest.engineConfiguration, device: manifest.device, restoring: restoration)
        lastDevice = manifest.device
        bands = DeviceBands(manifest.device)
        let attempts: any AttemptSupervisor =
            ports.supervisor
            ?? Supervisor(
                ports.loop, executable: ports.workerExecutable,
                limits: SupervisorLimits(manifest.policy), app: manifest.appOfPlugins,
                store: ports.store.path, descriptorLimit: ports.workerDescriptorLimit)
        supervisor = attempts
        supervisor.image = { [unowned self] name in
            let manifest = features.lazy.compactMap { $0.manifest(ofPlugin: name) }.first
            return ports.image(manifest ?? self.manifest, name)
        }
        supervisor.onNotice = { [unowned self] in take($0) }
        features = try ports.features.make(self, ports)
        wakeTimer = try clock.timer(ports.loop) { [unowned self] in send(.timer) }
        settleTimer = try clock.timer(ports.loop) { [unowned self] in settleDevice() }
        stallTimer = try clock.timer(ports.loop) { [unowned self] in tryStore() }
        clockWatch = try ClockWatch(ports.loop) { [unowned self] in send(.timer) }
    }

    /// Launches what is eligible and goes on with what happens; returns at once, the loop does the
    /// rest. What outlived an earlier host is killed first.
    public func start() throws {
        try killLeftovers()
        for row in store.damaged.sorted(by: { $0.message < $1.message }) {
            say(.error, row.message)
        }
        say(.info, statusLine)
        asleep = clock.asleep
        for feature in features { feature.willStart() }
        isStarted = true
        startedAt = now
        beginJournal()
        for feature in features {
            events = feature.eventsDue(at: clock.now) + events
            feature.start()
        }
        // What came before is known before anything is launched.
        let start: [Event] = ending == .afterOneRound ? [.startOnce, .closeAdmission] : [.start]
        events = firstEvents + [.recover(interrupted)] + events + start
        interrupted = []
        handleEvents()
    }

    /// Feeds the engine one event. Events of one moment are handled in order, each whole.
    public func send(_ event: Event) {
        if isStarted, !isHandling {
            // What is found then is an event of this round, before `event` and not a round of its own.
            isHandling = true
            deciding?()
            isHandling = false
        }
        events.append(event)
        if isStarted { handleEvents() }
    }

    /// Feeds the engine an event that is answered: `event` is made with the ticket it is given, and
    /// `reply` is called once, when the answer is durable.
    /// - Parameter isLate: Whether whoever is answered waits for the sync at the end of the round: then the
    ///   commit needs none of its own.
    public func ask(
        _ event: (Ticket) -> Event, isLate: Bool = false, _ reply: @escaping (Reply) -> Void
    ) {
        let ticket = nextTicket
        nextTicket += 1
        if isLate { lateTickets.insert(ticket) }
        tickets[ticket] = reply
        send(event(ticket))
    }

    /// SIGCHLD came.
    public func childrenEnded() {
        supervisor.childrenEnded()
    }

    /// Expires what runs, waits for it, then has the loop stop.
    public func shutDown() {
        send(.shutdown)
    }

    /// Kills what runs, without grace.
    public func killEverything() {
        for attempt in views.keys { supervisor.kill(attempt) }
        for feature in features.reversed() { feature.kill() }
    }

    func handleEvents() {
        guard !isHandling, stalled == nil else { return }
        isHandling = true
        defer { isHandling = false }
        while breakdown == nil, stalled == nil, !events.isEmpty || takesOverManifest() {
            // Before anything else: time that passed asleep is nobody's failure.
            if hasSlept() { events.insert(.slept, at: 0) }
            let now = clock.now
            for feature in features {
                events.insert(contentsOf: feature.eventsDue(at: now), at: 0)
            }
            let event = events.removeFirst()
            let actions = engine.handle(event, at: now, using: &random)
            note(event, at: now, actions)
            observer?(event, actions, now)
            do {
                try perform(actions, at: now)
            } catch {
                breakDown(error)
            }
        }
        for feature in features { feature.afterRound() }
        tellNeeds()
        tellWorkersOfDevice()
        shareChanged?(engine.discretionaryAttempts, engine.wantsMoreRoom)
        handled?()
        if engine.isSuspending, engine.hasNoAttempt { readyToSleep?() }
        changed?()
        endIfDone()
    }

    /// Whether the machine has slept since the last event. The clocks are read one after the other and
    /// differ by less than a tenth of a second.
    private func hasSlept() -> Bool {
        let before = asleep
        asleep = max(before, clock.asleep)
        return asleep - before > 100_000_000
    }

    /// Looks whether the store is still the one that was opened, and ends the host when it is not.
    public func checkStore() {
        guard breakdown == nil else { return }
        do throws(StoreError) { try store.checkFiles() } catch { breakDown(error) }
    }

    /// A store that cannot be written leaves nothing to promise: the host ends, and what runs is
    /// interrupted, to be run again by a host whose store can be.
    func breakDown(_ error: StoreError) {
        breakdown = error
        say(.error, error.message)
        for reply in tickets.values { reply(.refused(.unavailable)) }
        tickets.removeAll()
        lateTickets.removeAll()
        for feature in features { feature.close() }
        killEverything()
        loop.stop()
    }

    /// The calendar clock now.
    public var now: WallTime { clock.now.wall }

    /// Now, on both clocks.
    public var instant: Instant { clock.now }
}
