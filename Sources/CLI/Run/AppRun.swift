// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunControl
import BGRunDaemon
import BGRunDevice
import BGRunEventLog
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSimulation
import BGRunStorage
import BGRunSupervisor
import BGRunSystem
import CBGRunShims
import Glibc

/// The run of `bgrun run`, with the values of its options. No property has a type of ArgumentParser,
/// whose metadata would make the runtime search the conformances of the whole program.
struct AppRun {
    var file: ManifestFile
    var places = StatePlaces(override: nil)
    var rehearsal = RehearsalOptions()
    var once = false
    var stay = false
    var waitLock: Interval?
    var logging = LogStyle()
    var share: Int32?

    func run() throws {
        // A closed log pipe must not abort running attempts.
        signal(SIGPIPE, SIG_IGN)
        let variables = ServiceManager.Variables.take()
        if share != nil { HostAccount.goHome() }
        // Root's rights need the same protection as in the daemon.
        var manifest = try file.read(
            warning: !logging.quiet, isHosted: share != nil || geteuid() == 0)
        if let refusal = HostAccount.refusal(of: manifest) {
            throw Exit.refused.reporting("\(file.path): \(refusal)")
        }
        let plan = try rehearsal.plan(for: manifest)
        if let plan {
            // Schedules use the clock and the zone of the scenario, which also defines the whole
            // device.
            manifest = try Manifest.read(file.path, .simulated(plan.scenario))
            manifest.device = DeviceState()
        }
        var remove: () -> Void = {}
        defer { remove() }
        let state: StateDirectory
        if plan != nil, places.override == nil {
            (state, remove) = try SimulatedState.temporary(app: manifest.app)
        } else {
            state = try places.directory(of: manifest.app)
        }
        try state.create()
        let others =
            plan == nil ? places.others(than: state, isHosted: share != nil) : []
        let lock = try HostClaim(state: state, others: others).lock(
            manifest.absolutePath, within: waitLock ?? .zero)
        try serve(manifest, plan, state, variables, holding: lock)
    }

    private func serve(
        _ manifest: Manifest, _ plan: Rehearsal.Plan?, _ state: StateDirectory,
        _ variables: ServiceManager.Variables, holding lock: borrowing HostLock
    ) throws {
        try SimulatedState.check(state, isSimulated: plan != nil, zone: plan?.scenario.zone.name)
        let installation = Installation()
        let worker = try installation.requiredWorker()
        bgrun_become_subreaper()
        let loop = try EventLoop()
        var ports = Host.Ports(
            loop: loop, store: try Store.open(state.database, app: manifest.app, whenChanged: once),
            clock: SystemClock(),
            log: log(manifest), journal: journal(manifest, state), workerExecutable: worker,
            image: PluginImages(installation: installation).image)
        let limit = DescriptorLimit.raise()
        ports.workerDescriptorLimit = limit.before
        ports.attemptLimits = limit.attemptLimits()
        if let warning = ports.attemptLimits.warning(for: manifest.policy) {
            ports.log.write(LogLine(at: SystemClock().now.wall, level: .warning, text: warning))
        }
        ports.state = state
        let observer = RunObserver()
        ports.confiner = MachineConfiner({ [weak observer] in
            ConfinementSite(
                observer?.host?.manifest ?? manifest, state, worker: worker, installation)
        }) { ports.log.write(LogLine(at: SystemClock().now.wall, level: .warning, text: $0)) }
        ports.features = HostFeatures.all(
            transferService: installation.transferService, stateOption: places.arguments,
            isSimulated: plan != nil)
        let rehearsal = try plan.map { plan in
            let rehearsal = try Rehearsal(plan, manifest.engineConfiguration, loop) {
                logging.log($0)
            }
            ports.clock = rehearsal.clock
            ports.log = rehearsal.log
            ports.random = rehearsal.random
            return rehearsal
        }
        observer.rehearsal = rehearsal
        ports.observer = observer
        let stays = stay || rehearsal != nil
        let host = try Host(
            manifest, ports, ending: once ? .afterOneRound : stays ? .never : .whenIdle)
        observer.host = host
        let service = try ServiceManager(loop, variables).map { HostService($0, host) }
        observer.service = service
        // A hangup of the terminal must end the programs started on it.
        let rereads = share != nil || stay && !Terminal.isTerminal(STDERR_FILENO)
        var watch: ManifestWatch?
        let signals = try SignalSource(loop, [SIGCHLD, SIGTERM, SIGINT, SIGHUP]) { signal in
            switch signal {
            case SIGCHLD: host.childrenEnded()
            case SIGHUP where rereads:
                service?.reloading { watch?.read() } ?? watch?.read()
            default:
                service?.stopping()
                host.end()
            }
        }
        if let share {
            let client = try ShareClient(loop, socket: share, observer: observer)
            host.send(.granted(0))
            observer.share = client
        }
        observer.control = try ControlServer(
            loop, path: state.controlSocket,
            group: HostAccount.controlGroup(of: manifest, in: state), handler: host.serve,
            isConfined: host.supervisor.isConfined)
        // A short run checks once, at its end: the kernel takes milliseconds to close a watch.
        let stateWatch =
            once ? nil : DirectoryWatch(loop, state.path, onlyLosses: true) { host.checkFiles() }
        if let rehearsal {
            try rehearsal.start(host, state: state.path)
            loop.run()
            if !logging.quiet { report(rehearsal) }
        } else {
            if !once {
                watch = ManifestWatch(
                    loop, file, host, isHosted: share != nil, showing: !logging.json)
            }
            try serveHere(host, observer, loop, state) { service?.ready() }
        }
        host.endJournal()
        if once { host.checkFiles() }
        withExtendedLifetime((signals, observer, watch, stateWatch)) {}
        if host.breakdown != nil { throw Exit.ioError }
        if host.hasFailures { throw Exit.attemptFailed }
    }

    /// Runs `host` on this machine's own device.
    /// - Parameter started: Called after the launch of the eligible tasks.
    private func serveHere(
        _ host: Host, _ observer: RunObserver, _ loop: EventLoop, _ state: StateDirectory,
        started: () -> Void
    ) throws {
        let device = try HostDevice(
            loop: loop, stateDirectory: state.path, places: .environment, awaitsBus: !once)
        device.observer = observer
        device.delaysSleep = true
        observer.device = device
        // The order of launches must not depend on which bus service answers first.
        device.awaitCompletion()
        try host.start()
        if host.breakdown == nil { started() }
        loop.run()
    }

    private func log(_ manifest: Manifest) -> any HostLog {
        once && logging.isMail
            ? MailLog(manifest: file.path, state: places.override)
            : logging.log(.machine, app: manifest.app, isShared: share != nil)
    }

    /// A host also works without a journal: reports why it is missing.
    private func journal(_ manifest: Manifest, _ state: StateDirectory) -> Journal? {
        do throws(JournalFailure) {
            let bytes = manifest.policy.journalBytes
            guard bytes > 0 else {
                try state.journalPaths.remove()
                return nil
            }
            return try Journal(
                state.journalPaths, app: manifest.app, version: Version.text, bytes: bytes)
        } catch {
            complain("no journal is kept: \(error.message)")
            return nil
        }
    }

    private func report(_ rehearsal: Rehearsal) {
        guard let result = rehearsal.result() else { return }
        print(logging.json ? result.json + "\n" : "\n" + result.report, terminator: "")
    }
}
