// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import Foundation

@testable import BGRunHost
@testable import BGRunPushes

/// A whole host with its own store, and a supervisor, a clock and a log that the test controls.
final class HostBench {
    final class Log: HostLog {
        private(set) var lines: [LogLine] = []
        private(set) var shown: [[RunningView]] = []

        func write(_ line: LogLine) { lines.append(line) }
        func show(_ running: [RunningView]) { shown.append(running) }

        func has(_ text: String) -> Bool { lines.contains { $0.text.contains(text) } }
    }

    final class Observer: HostObserver {
        var willDecideIsCalled: () -> Void = {}
        var workedIsCalled: () -> Void = {}
        var sharesIsCalled: (_ running: Int, _ wantsMore: Bool) -> Void = { _, _ in }
        private(set) var events: [Event] = []
        private(set) var maySleepCalls = 0
        private(set) var changes = 0
        private(set) var needed = Needs()

        func willDecide() { willDecideIsCalled() }
        func decided(_ event: Event, _ actions: [Action], at now: Instant) { events.append(event) }
        func worked() { workedIsCalled() }
        func maySleep() { maySleepCalls += 1 }
        func shares(running: Int, wantsMore: Bool) { sharesIsCalled(running, wantsMore) }
        func changed() { changes += 1 }
        func needs(_ needs: Needs) { needed = needs }
    }

    let directory: String
    let path: String
    let store: Store
    let loop: EventLoop
    let clock = TestClock()
    let log = Log()
    let observer = Observer()
    let supervisor = SimulatedSupervisor()
    let host: BGRunHost.Host

    /// - Parameters:
    ///   - tasks: Lines of `tasks:`, with or without actions.
    ///   - rest: Other lines of the manifest.
    ///   - state: The directory of transfers; nil: without transfers.
    ///   - watches: Whether changes of files and connections submit tasks.
    ///   - more: Further features of the test.
    ///   - prepare: Called with the store before the host is created.
    init(
        _ tasks: String, rest: String = "policy: {profile: server}",
        ending: BGRunHost.Host.Ending = .never, at directory: String? = nil,
        state: StateDirectory? = nil, watches: Bool = false, more: [HostFeatureMaker] = [],
        prepare: (Store) throws -> Void = { _ in }
    ) throws {
        self.directory =
            directory
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-host-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: self.directory, withIntermediateDirectories: true)
        path = self.directory + "/bgrun.sqlite"
        store = try Store.open(path)
        try prepare(store)
        loop = try EventLoop()
        var ports = BGRunHost.Host.Ports(
            loop: loop, store: store, clock: clock, log: log, workerExecutable: "/nonexistent",
            image: { _, name in .failure(PluginRefusal(message: name)) },
            random: SystemRandomNumberGenerator())
        // The clock of the tests does not advance while the loop blocks.
        ports.busyTimeout = .zero
        ports.state = state
        ports.supervisor = supervisor
        ports.observer = observer
        ports.features = [HostFeatureMaker].all(watches: watches) + more
        host = try BGRunHost.Host(try Self.manifest(tasks, rest), ports, ending: ending)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// This bench, once its host has started.
    func started() throws -> HostBench {
        try host.start()
        return self
    }

    static func manifest(_ tasks: String, _ rest: String = "") throws -> Manifest {
        let lines = tasks.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
        let text = """
            bgrun: 1
            app: org.test.app
            modes: [processing, remote-notification]
            permitted_identifiers: [org.test.*]
            \(rest)
            tasks:
            \(lines)
            """
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: "/tmp"
        ).manifest
    }

    /// A task that runs as soon as it is submitted.
    static func task(_ identifier: String, _ settings: String = "submit: manual") -> String {
        """
        \(identifier):
          kind: processing
          \(settings)
          call: {library: libc.so.6, function: sync}

        """
    }

    /// Handles work that is deferred to the end of the round.
    func settle() {
        loop.afterThisRound { [loop] in loop.stop() }
        loop.run()
    }

    /// Submits a request. Returns the answer; nil if it comes later.
    @discardableResult
    func submit(
        _ identifier: String, after delay: Interval? = nil,
        _ answered: @escaping (Reply) -> Void = { _ in }
    ) -> Reply? {
        var answer: Reply?
        host.ask({ .submit(Submission(identifier: identifier, delay: delay), ticket: $0) }) {
            answer = $0
            answered($0)
        }
        return answer
    }

    /// Submits a request of each identifier, and lets their attempts begin.
    func launch(_ identifiers: String...) {
        for identifier in identifiers { submit(identifier) }
        settle()
    }

    /// Offers a silent push with `payload`.
    func push(
        _ identifier: String, _ payload: String = PushOffer.empty, collapseID: String? = nil,
        expires: WallTime? = nil, _ answer: @escaping PushAnswerer = { _ in }
    ) {
        let offer = PushOffer(
            identifier: identifier, payload: payload, payloadBytes: payload.utf8.count,
            aps: PushOffer.APS(isContentAvailable: true), collapseID: collapseID,
            expires: expires)
        host.push(offer, from: "a test", answer)
    }

    /// Makes a call of an attempt, whose worker has that confinement. Returns the answer; nil if it comes later.
    @discardableResult
    func call(
        _ call: WorkerMessage.Call, from attempt: Int64, confined: Confinement? = nil,
        _ answered: @escaping (HostMessage.Answer) -> Void = { _ in }
    ) -> HostMessage.Answer? {
        var answer: HostMessage.Answer? {
            didSet { if let answer { answered(answer) } }
        }
        supervisor.onNotice(
            .call(
                attempt: attempt, call,
                answer: CallAnswer(
                    confinement: confined, whole: { answer = $0 }, parts: { answer = $0() })))
        return answer
    }

    /// A task of kind `push`.
    static func pushTask(_ identifier: String) -> String {
        "\(identifier):\n  kind: push\n  call: {library: libc.so.6, function: sync}\n"
    }

    /// The stored data, read through another connection.
    func stored() throws -> Store { try Store.open(path, readOnly: true) }
}
