// SPDX-License-Identifier: Apache-2.0

public import BGRunLoop
import BGRunPluginFile
import BGRunProcess
import CBGRunShims
import Glibc

/// Runs a host for each manifest of a directory, each a process of its own: what goes wrong in one app
/// concerns no other. They share the room of the machine.
///
/// Belongs to the loop's thread. SIGCHLD must be delivered to `childrenEnded`.
public final class Daemon {
    private let loop: EventLoop
    private let options: Options
    private let directory: ManifestDirectory
    private let processes: HostProcess
    private let me = Account(geteuid())
    private let say: (_ isError: Bool, String) -> Void
    private let share: ShareServer
    private var rule = HostsRule()
    private var pids: [String: pid_t] = [:]
    /// What the process that looks at a manifest writes, and who owns the file.
    private var looks: [String: (output: Int32, owner: uid_t)] = [:]
    /// What was last found out about a manifest, and why it is not hosted.
    private var grants: [String: AccountRule.Grant] = [:]
    private var apps: [String: String] = [:]
    private var reasons: [String: String] = [:]
    private var timer: LoopTimer?
    /// When what has happened in the directory is looked at.
    private var lookTimer: LoopTimer?
    private var isShuttingDown = false
    private var isReporting = false
    /// Called in the round after a host was started or has ended, or a manifest was looked at.
    public var changed: (() -> Void)?

    /// Editors and git take a file away for a moment to put another in its place.
    private static let settling: Int64 = 300_000_000
    /// A host that was started just now reads its manifest anyway, and may not be ready for a signal.
    private static let reading: Int64 = 5_000_000_000

    public struct Options {
        /// Of the manifests; absolute.
        public var directory: String
        /// Attempts that may run at once, of all apps together; at least 1.
        public var slots: Int
        /// The host's.
        public var executable: String
        /// Those of the host of a manifest, given its path and its descriptor of the share.
        public var arguments: (_ manifest: String, _ share: Int32) -> [String]
        /// Those of a process that reads the manifest on its standard input, given its path, and prints
        /// `ManifestFacts`.
        public var looking: (_ manifest: String) -> [String]
        /// Absolute. Where the apps' directories are made, which root does for them; others' hosts
        /// make them.
        public var state: String

        public init(
            directory: String, slots: Int, executable: String, state: String,
            looking: @escaping (_ manifest: String) -> [String],
            arguments: @escaping (_ manifest: String, _ share: Int32) -> [String]
        ) {
            self.directory = directory
            self.slots = slots
            self.executable = executable
            self.looking = looking
            self.arguments = arguments
            self.state = state
        }
    }

    /// - Parameter say: Takes a line of the log.
    public init(
        _ loop: EventLoop, _ options: Options,
        say: @escaping (_ isError: Bool, String) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.options = options
        self.say = say
        directory = ManifestDirectory(options.directory)
        processes = HostProcess(executable: options.executable)
        share = try ShareServer(loop, slots: options.slots)
        timer = try LoopTimer(loop) { [unowned self] in handle(.timer) }
        lookTimer = try LoopTimer(loop) { [unowned self] in look() }
    }

    /// Looks at the directory: hosts are started for manifests that are new, and end with those that
    /// are gone. The loop does the rest, and stops when the last host has ended after `shutDown`.
    public func look() {
        directory.watch(loop) { [unowned self] in
            lookTimer?.set(elapsed: bgrun_boottime_ns() + Self.settling)
        }
        guard let look = directory.look() else {
            // Nothing is hosted that could go on: it is waited for.
            if rule.hosts.isEmpty, !directory.isThere { return handle(.listed([])) }
            say(true, "\(directory.path) cannot be read; the hosts go on as they are")
            return report()
        }
        handle(.listed(look.names))
        for name in look.changed {
            handle(look.changedOwner.contains(name) ? .changedOwner(name) : .changed(name))
        }
    }

    /// Has every host read its manifest, and looks at the directory.
    public func reload() {
        let now = bgrun_boottime_ns()
        for case (let name, .running(_, let since, _)) in rule.hosts
        where now - since >= Self.reading {
            if let pid = pids[name] { kill(pid, SIGHUP) }
        }
        look()
    }

    /// Whether every manifest there is has been looked at.
    public var isSettled: Bool { rule.isSettled }

    /// What is done about each manifest, in the order of their names.
    public var status: [HostStatus] {
        rule.hosts.sorted { $0.key < $1.key }.map { name, state in
            HostStatus(
                manifest: path(of: name), state: HostStatus.State(state),
                app: state.app ?? apps[name], user: grants[name]?.account.name,
                process: looks[name] == nil ? pids[name] : nil, reason: reasons[name])
        }
    }

    /// SIGCHLD came. As PID 1 the daemon has children it did not start, too.
    public func childrenEnded() {
        var status: Int32 = 0
        while true {
            let pid = waitpid(-1, &status, WNOHANG)
            if pid < 0, errno == EINTR { continue }
            guard pid > 0 else { return }
            guard let name = pids.first(where: { $0.value == pid })?.key else { continue }
            pids[name] = nil
            let signal = status & 0x7f
            let end = signal == 0 ? HostsRule.End.exit(status >> 8 & 0xff) : .signal(signal)
            if let look = looks.removeValue(forKey: name) {
                finish(name, look, end)
            } else {
                share.leave(name)
                handle(.ended(name, end))
            }
        }
    }

    /// Has every host end what runs, and ends when they have. A second time, what runs is killed.
    public func shutDown() {
        guard !isShuttingDown else {
            for pid in pids.values { kill(pid, SIGTERM) }
            return
        }
        isShuttingDown = true
        handle(.shutdown)
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
            if let pid = pids[name] { kill(pid, SIGTERM) }
        case .leaveAside(let name, let end):
            reasons[name] = reasons[name] ?? "its host ended (\(end.text))"
            say(
                true, "\(name) is left aside until it is changed: \(reasons[name] ?? "")")
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

    // MARK: looking at a manifest

    private func look(at name: String) {
        reasons[name] = nil
        let path = path(of: name)
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else {
            return refuse(name, "it cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return refuse(name, "it is no regular file")
        }
        do throws(SystemFailure) {
            let (pid, output) = try processes.look(options.looking(path), file)
            pids[name] = pid
            looks[name] = (output, status.st_uid)
        } catch {
            fail(name, "it cannot be looked at: \(error)")
        }
    }

    /// The process that looked at a manifest has ended.
    private func finish(
        _ name: String, _ look: (output: Int32, owner: uid_t), _ end: HostsRule.End
    ) {
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = read(look.output, &text, text.count)
        close(look.output)
        let facts = ManifestFacts(String(decoding: text.prefix(max(0, count)), as: UTF8.self))
        guard end == .exit(0), let facts else {
            reasons[name] = "it is no manifest that can be hosted"
            return handle(.ended(name, end == .exit(0) ? .exit(EX_DATAERR) : end))
        }
        do throws(AccountRule.Refusal) {
            let wish = try AccountRule.Wish(facts)
            let grant = try AccountRule.grant(
                wish, owner: Account(look.owner), daemon: me,
                changesUsers: HostProcess.changesUsers)
            if let refusal = TrustedFile.refusal(of: path(of: name), user: grant.account.uid) {
                throw AccountRule.Refusal(
                    message: "others could change it: \(refusal.reason); \(refusal.remedy)")
            }
            grants[name] = grant
            apps[name] = facts.app
            handle(.looked(name, app: facts.app))
        } catch {
            refuse(name, error.message)
        }
    }

    /// Its manifest must be corrected.
    private func refuse(_ name: String, _ reason: String) {
        reasons[name] = reason
        loop.afterThisRound { [unowned self] in handle(.ended(name, .exit(EX_NOPERM))) }
    }

    /// It may go better another time.
    private func fail(_ name: String, _ reason: String) {
        reasons[name] = reason
        say(true, "\(name): \(reason)")
        loop.afterThisRound { [unowned self] in handle(.ended(name, .exit(EX_OSERR))) }
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
            let pid = try processes.host(arguments, as: grant.account, share: socket)
            pids[name] = pid
            let user = grant.account.uid == me.uid ? "" : " as \(grant.account.name)"
            say(false, "Hosting \(name)\(user) (process \(pid))")
        } catch {
            share.leave(name)
            fail(name, "no host could be started: \(error)")
        }
    }
}

extension AccountRule.Wish {
    /// What a manifest names, looked up in the databases of users and groups.
    fileprivate init(_ facts: ManifestFacts) throws(AccountRule.Refusal) {
        if let name = facts.user {
            guard let user = Account(named: name) else { throw Self.unknown("user", name) }
            self.user = user
        }
        if let name = facts.group {
            guard let group = Account.group(named: name) else { throw Self.unknown("group", name) }
            self.group = group
        }
        if let name = facts.controlGroup {
            guard let group = Account.group(named: name) else { throw Self.unknown("group", name) }
            controlGroup = group
        }
    }

    private static func unknown(_ kind: String, _ name: String) -> AccountRule.Refusal {
        AccountRule.Refusal(
            message: "this machine has no \(kind) \"\(name)\"; make it, or correct the manifest")
    }
}
