// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// Runs a host for each manifest of a directory, each in a separate process: a failure of one app does
/// not affect the others. They share slots for attempts.
///
/// Belongs to the loop's thread. SIGCHLD must be delivered to `childrenEnded`.
package final class Daemon {
    private let loop: EventLoop
    private let options: Options
    private let directory: ManifestDirectory
    private let processes: HostProcess
    private let me = Account(geteuid())
    private let say: (_ isError: Bool, String) -> Void
    private let share: ShareServer
    private var rule = HostsRule()
    /// The running hosts, until `childrenEnded` reaps them.
    private var hosts: [String: ProcessHandle] = [:]
    private let looks: LookProcesses
    private var lives: [String: HostLifeRule] = [:]
    private var lifeTimer: LoopTimer?
    /// The results of the last inspection of a manifest, and the reason why it is not hosted.
    private var grants: [String: AccountRule.Grant] = [:]
    private var apps: [String: String] = [:]
    private var reasons: [String: String] = [:]
    private var timer: LoopTimer?
    /// Delays the handling of changes in the directory.
    private var lookTimer: LoopTimer?
    private var isShuttingDown = false
    private var isReporting = false
    /// Called in the round after a host has started or ended, or after an inspection of a manifest.
    package var changed: (() -> Void)?

    /// Editors and git remove a file for a moment when they replace it.
    private static let settling: Int64 = 300_000_000

    package struct Options {
        /// The directory of the manifests; absolute.
        var directory: String
        /// The maximum number of concurrent attempts of all apps together; at least 1.
        var slots: Int
        /// The executable of the host.
        var executable: String
        /// The arguments of a host, given the path of its manifest and its descriptor of the share.
        var arguments: (_ manifest: String, _ share: Int32) -> [String]
        /// The arguments of a process that opens the manifest, continues as the user if one is given,
        /// and prints `ManifestFacts`.
        var looking: (_ manifest: String, _ user: UInt32?) -> [String]
        /// The arguments of a process that prints why users other than root and the owner could
        /// change the manifest, or nothing.
        var trusting: (_ manifest: String, _ user: UInt32) -> [String]
        /// Absolute. The parent of the apps' state directories, which root creates for them; hosts of
        /// other users create their own.
        var state: String
        package var share = SharePolicy()
        package var life = HostLifeRule.Timeouts()
        /// A host that was started within this many nanoseconds is not told to read its manifest: it
        /// reads it anyway, and may not handle signals yet.
        package var reading: Int64 = 5_000_000_000
        /// The time limit for inspecting a manifest, in nanoseconds.
        var lookLimit: Int64 = 15_000_000_000

        package init(
            directory: String, slots: Int, executable: String, state: String,
            looking: @escaping (_ manifest: String, _ user: UInt32?) -> [String],
            trusting: @escaping (_ manifest: String, _ user: UInt32) -> [String],
            arguments: @escaping (_ manifest: String, _ share: Int32) -> [String]
        ) {
            self.directory = directory
            self.slots = slots
            self.executable = executable
            self.looking = looking
            self.trusting = trusting
            self.arguments = arguments
            self.state = state
        }
    }

    /// - Parameter say: Receives a line of the log.
    package init(
        _ loop: EventLoop, _ options: Options, say: @escaping (_ isError: Bool, String) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.options = options
        self.say = say
        directory = ManifestDirectory(options.directory)
        processes = HostProcess(executable: options.executable)
        looks = try LookProcesses(loop, processes, limit: options.lookLimit)
        var heard: (String) -> Void = { _ in }
        share = try ShareServer(loop, slots: options.slots, policy: options.share) { heard($0) }
        heard = { [unowned self] in self.heard(from: $0) }
        lifeTimer = try LoopTimer(loop) { [unowned self] in tick() }
        timer = try LoopTimer(loop) { [unowned self] in handle(.timer) }
        lookTimer = try LoopTimer(loop) { [unowned self] in look() }
    }

    /// Scans the directory: starts hosts for new manifests, and ends those of removed ones. The loop
    /// does the rest, and stops when the last host has ended after `shutDown`.
    package func look() {
        directory.watch(loop) { [unowned self] in
            lookTimer?.set(elapsed: bgrun_boottime_ns() + Self.settling)
        }
        guard let look = directory.look() else {
            // No host could continue: waits for the directory.
            if rule.hosts.isEmpty, !directory.isThere { return handle(.listed([])) }
            say(true, "\(directory.path) cannot be read; the hosts continue as they are")
            return report()
        }
        handle(.listed(look.names))
        for name in look.changed {
            handle(look.changedOwner.contains(name) ? .changedOwner(name) : .changed(name))
            if case .running = rule.hosts[name] { review(name) }
        }
    }

    /// Makes every host read its manifest, and scans the directory.
    package func reload() {
        let now = bgrun_boottime_ns()
        for case (let name, .running(_, let since, _)) in rule.hosts
        where now - since >= options.reading {  // fits: our own clock
            hosts[name]?.signal(SIGHUP)
        }
        look()
    }

    /// Whether every existing manifest has been inspected.
    package var isSettled: Bool { rule.isSettled }

    /// The state of each manifest, sorted by name.
    package var status: [HostStatus] {
        rule.hosts.sorted { $0.key < $1.key }.map { name, state in
            HostStatus(
                manifest: path(of: name), state: HostStatus.State(state),
                app: state.app ?? apps[name], user: grants[name]?.account.name,
                process: hosts[name]?.pid, reason: reasons[name])
        }
    }

    /// The reason why this process cannot be root's daemon; nil if it can.
    package static var missingRights: String? { HostProcess.missingRights }

    /// Handles SIGCHLD. As PID 1, the daemon also has children that it did not start.
    package func childrenEnded() {
        var status: Int32 = 0
        while true {
            let pid = waitpid(-1, &status, WNOHANG | WUNTRACED)
            if pid < 0, errno == EINTR { continue }
            guard pid > 0 else { return }
            let signal = status & 0x7f
            let name = hosts.first { $0.value.pid == pid }?.key
            guard signal != 0x7f else {
                if let name { stopped(name) }
                continue
            }
            let end = signal == 0 ? HostsRule.End.exit(status >> 8 & 0xff) : .signal(signal)
            if looks.ended(pid, end) { continue }
            guard let name else { continue }
            hosts[name] = nil
            lives[name] = nil
            share.leave(name)
            handle(.ended(name, end))
        }
    }

    /// Makes every host end its attempts and then itself, and ends after them. The second call kills the attempts.
    package func shutDown() {
        guard !isShuttingDown else {
            for name in hosts.keys { terminate(name) }
            return
        }
        isShuttingDown = true
        handle(.shutdown)
    }

    /// Ends a host, even if it is stopped.
    private func terminate(_ name: String) {
        guard let host = hosts[name] else { return }
        host.signal(SIGTERM)
        host.signal(SIGCONT)
        lives[name]?.ending(at: bgrun_boottime_ns())
        setLifeTimer()
    }

    // MARK: liveness

    /// Handles the answer of a host: the next ping may be due before the timer.
    private func heard(from name: String) {
        let previous = lives[name]?.next
        lives[name]?.heard(at: bgrun_boottime_ns())
        if let next = lives[name]?.next, next < previous ?? .max { setLifeTimer() }
    }

    /// The kernel has reported that a host was stopped.
    private func stopped(_ name: String) {
        let actions = lives[name]?.stopped(at: bgrun_boottime_ns()) ?? []
        if let host = hosts[name], actions.contains(.resume) {
            say(true, "the host of \(name) (process \(host.pid)) was stopped: it is continued")
        }
        perform(actions, name)
    }

    private func tick() {
        let now = bgrun_boottime_ns()
        for name in lives.keys.sorted() { perform(lives[name]?.tick(at: now) ?? [], name) }
        setLifeTimer()
    }

    private func setLifeTimer() { lifeTimer?.set(elapsed: lives.values.compactMap(\.next).min()) }

    private func perform(_ actions: [HostLifeRule.Action], _ name: String) {
        guard let host = hosts[name] else { return }
        for action in actions {
            switch action {
            case .ping: share.ping(name)
            case .resume: host.signal(SIGCONT)
            case .terminate:
                say(true, "the host of \(name) (process \(host.pid)) does not answer: it is ended")
                host.signal(SIGTERM)
            case .kill:
                say(
                    true,
                    "the host of \(name) (process \(host.pid)) did not end in time: it is killed")
                host.signal(SIGKILL)
            }
        }
    }

    private func path(of name: String) -> String { "\(directory.path)/\(name)" }

    private func handle(_ event: HostsRule.Event) {
        for action in rule.handle(event, at: bgrun_boottime_ns()) { perform(action) }
        report()
    }

    private func report() {
        guard !isReporting else { return }
        isReporting = true
        loop.afterThisRound { [unowned self] in
            isReporting = false
            changed?()
        }
    }

    private func perform(_ action: HostsRule.Action) {
        switch action {
        case .look(let name): look(at: name)
        case .start(let name): start(name)
        case .terminate(let name):
            if !isShuttingDown {
                let isThere = rule.hosts[name]?.isToReturn ?? false
                say(false, "\(name) \(isThere ? "has another owner" : "is gone"): its host ends")
            }
            if looks.cancel(name), hosts[name] == nil { later(.ended(name, .exit(0))) }
            terminate(name)
        case .leaveAside(let name, let end):
            reasons[name] = reasons[name] ?? "its host ended (\(end.text))"
            say(true, "\(name) is left aside until it is changed: \(reasons[name] ?? "")")
        case .leaveTwin(let name, let app, let other):
            reasons[name] = "\(other) is a manifest of \(app), too"
            say(
                true,
                "\(name) is left aside: its app is \(app), which \(other) is hosted as; "
                    + "give one of them another `app`, or remove it")
        case .retry(let name, let end, let date):
            let seconds = (date - bgrun_boottime_ns() + 500_000_000) / 1_000_000_000
            reasons[name] = "its host ended (\(end.text))"
            say(
                true, "the host of \(name) ended (\(end.text)); it is started again in \(seconds) s"
            )
        case .wake(let date): timer?.set(elapsed: date)
        case .finish: loop.stop()
        }
    }

    // MARK: inspection of a manifest

    private func look(at name: String) {
        reasons[name] = nil
        let stranger = HostProcess.changesUsers ? HostProcess.stranger : nil
        looks.run(options.looking(path(of: name), stranger), about: name) { [unowned self] in
            guard let text = text(of: $0, name) else { return }
            guard let facts = ManifestFacts(text) else {
                reasons[name] = ManifestFacts.problem(in: text) ?? Self.notAManifest
                return later(.ended(name, .exit(EX_DATAERR)))
            }
            found(name, facts)
        }
    }

    private static let notAManifest = "it is not a valid manifest"

    /// The output of a process; nil if it failed, which this method handles.
    private func text(of outcome: LookProcesses.Outcome, _ name: String) -> String? {
        switch outcome {
        case .ended(.exit(0), let text): return text
        case .ended(let end, let text):
            reasons[name] = ManifestFacts.problem(in: text) ?? Self.notAManifest
            later(.ended(name, end))
        case .late: fail(name, "looking at it took too long; its file system does not answer")
        case .failed(let error): fail(name, "it cannot be looked at: \(error)")
        }
        return nil
    }

    private func later(_ event: HostsRule.Event) {
        loop.afterThisRound { [unowned self] in handle(event) }
    }

    private func found(_ name: String, _ facts: ManifestFacts) {
        do throws(AccountRule.Refusal) {
            let wish = try AccountRule.UserRequest(facts)
            let grant = try AccountRule.grant(
                wish, owner: Account(facts.owner), daemon: me,
                changesUsers: HostProcess.changesUsers)
            let arguments = options.trusting(path(of: name), grant.account.uid)
            looks.run(arguments, about: name) { [unowned self] in
                guard let refusal = text(of: $0, name) else { return }
                guard refusal.isEmpty else {
                    return refuse(name, "others could change it: \(refusal)")
                }
                grants[name] = grant
                apps[name] = facts.app
                later(.looked(name, app: facts.app))
            }
        } catch {
            refuse(name, error.message)
        }
    }

    /// Checks whether a changed manifest takes effect: it is valid, and others cannot change it. Otherwise its
    /// host continues with the previous one.
    private func review(_ name: String) {
        guard let app = apps[name], let user = grants[name]?.account.uid else { return }
        let stranger = HostProcess.changesUsers ? HostProcess.stranger : nil
        looks.review(
            name, of: app, looking: options.looking(path(of: name), stranger),
            trusting: options.trusting(path(of: name), user)
        ) { [unowned self] problem in
            guard case .running = rule.hosts[name] else { return }
            reasons[name] = problem.map { "the changed manifest is not in effect: \($0)" }
            report()
        }
    }

    /// Rejects the manifest until it is corrected.
    private func refuse(_ name: String, _ reason: String) {
        reasons[name] = reason
        later(.ended(name, .exit(EX_NOPERM)))
    }

    /// Handles a failure that may be temporary.
    private func fail(_ name: String, _ reason: String) {
        reasons[name] = reason
        say(true, "\(name): \(reason)")
        later(.ended(name, .exit(EX_OSERR)))
    }

    private func start(_ name: String) {
        guard let grant = grants[name], let app = apps[name] else { return }
        do throws(StatePlace.Refusal) {
            if HostProcess.changesUsers {
                try StatePlace.prepare(options.state, app: app, for: grant)
            }
        } catch {
            return refuse(name, error.message)
        }
        do throws(SystemFailure) {
            let socket = try share.join(name)
            defer { close(socket) }
            let arguments = options.arguments(path(of: name), HostProcess.shareDescriptor)
            let host = try processes.host(arguments, as: grant.account, share: socket)
            precondition(hosts.updateValue(host, forKey: name) == nil, "\(name) has two hosts")
            lives[name] = HostLifeRule(options.life, startedAt: bgrun_boottime_ns())
            setLifeTimer()
            let user = grant.account.uid == me.uid ? "" : " as \(grant.account.name)"
            say(false, "Hosting \(name)\(user) (process \(host.pid))")
        } catch {
            share.leave(name)
            fail(name, "no host could be started: \(error)")
        }
    }
}
