// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunCore
import BGRunDevice
import BGRunHost
import BGRunJournal
import BGRunLoop
import BGRunManifest
import BGRunStore
import BGRunWire
import CBGRunShims
import Glibc

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run an app's tasks in the foreground until nothing is pending.",
        discussion: """
            SIGTERM and SIGINT expire what runs (reason: shutdown), wait for it, then end the host; \
            a second one kills what runs.
            """)

    @OptionGroup var app: AppOptions

    @Flag(help: "Launch what is eligible now, wait for it, and exit (for cron).")
    var once = false

    @Flag(help: "Go on when nothing is pending, until a signal comes.")
    var stay = false

    @Flag(name: .shortAndLong, help: "Say only what went wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose = false

    @Flag(help: "Log JSON, one object a line.")
    var json = false

    func validate() throws {
        if once, stay { throw ValidationError("--once and --stay exclude each other") }
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        try reportingFailures {
            let state = try app.stateDirectory(of: manifest.app)
            try state.create()
            try serve(manifest, state, holding: try lock(state))
        }
    }

    /// A command that changes the store holds the lock too, for a moment: it is waited for.
    private func lock(_ state: StateDirectory) throws(HostLockError) -> HostLock {
        let holder = HostLock.Holder(
            pid: getpid(), started: SystemClock().now.wall, manifest: app.manifest,
            version: Version.text)
        for _ in 0..<50 {
            do {
                return try HostLock.acquire(state.hostLock, as: holder)
            } catch {
                guard case .held = error else { throw error }
                usleep(10_000)
            }
        }
        return try HostLock.acquire(state.hostLock, as: holder)
    }

    private func serve(
        _ manifest: Manifest, _ state: StateDirectory, holding lock: borrowing HostLock
    ) throws {
        let installation = Installation()
        guard let worker = installation.worker else {
            complain("bgrun-worker is missing beside \(installation.directory)/bgrun; install it")
            throw Exit.unavailable
        }
        bgrun_become_subreaper()
        // A log that nobody reads any more is no reason to abandon what runs.
        signal(SIGPIPE, SIG_IGN)
        let loop = try EventLoop()
        let host = try Host(
            manifest,
            Host.Ports(
                loop: loop, store: try Store.open(state.database), clock: SystemClock(), log: log,
                journal: journal(manifest, state), workerExecutable: worker,
                image: PluginImages(manifest: manifest, installation: installation).image),
            ending: once ? .afterOneRound : stay ? .never : .whenIdle)
        let signals = try SignalSource(loop, [SIGCHLD, SIGTERM, SIGINT, SIGHUP]) { signal in
            if signal == SIGCHLD {
                host.childrenEnded()
            } else if host.engine.isEnding {
                host.killEverything()
            } else {
                host.shutDown()
            }
        }
        let control = try ControlServer(loop, path: state.controlSocket, handler: host.serve)
        let device = try HostDevice(loop: loop, stateDirectory: state.path) {
            host.deviceReads($0.state)
        }
        host.needsChanged = { device.needs = LookedFor($0) }
        // What is launched first must not depend on who of the bus answers first.
        device.completed = { loop.stop() }
        loop.run()
        try host.start()
        loop.run()
        host.endJournal()
        host.needsChanged = nil
        withExtendedLifetime((signals, control, device)) {}
        if host.breakdown != nil { throw Exit.ioError }
        if host.hasFailures { throw Exit.attemptFailed }
    }

    /// A host works without a journal, too: why there is none is said.
    private func journal(
        _ manifest: Manifest, _ state: StateDirectory
    ) -> Journal? {
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

    private var log: any HostLog {
        let minimum: LogLine.Level = quiet ? .error : verbose ? .debug : .info
        return !json && Terminal.isTerminal(STDERR_FILENO)
            ? TerminalLog(minimum: minimum) : LineLog(minimum: minimum, json: json)
    }
}
