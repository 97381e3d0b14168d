// SPDX-License-Identifier: Apache-2.0

public import BGRunLoop
import BGRunProcess
import CBGRunShims
import Glibc

/// Runs a host for each manifest of a directory, each a process of its own: what goes wrong in one app
/// concerns no other. They share the room of the machine.
///
/// Belongs to the loop's thread. SIGCHLD must be delivered to `childrenEnded`.
public final class Daemon {
    private let loop: EventLoop
    private let directory: ManifestDirectory
    private let executable: String
    private let arguments: (String, Int32) -> [String]
    private let say: (_ isError: Bool, String) -> Void
    private let share: ShareServer
    private var rule = HostsRule()
    private var pids: [String: pid_t] = [:]
    private var timer: LoopTimer?
    /// When what has happened in the directory is looked at.
    private var lookTimer: LoopTimer?
    private var isShuttingDown = false

    /// The descriptor of the share in a host.
    private static let shareDescriptor: Int32 = 3
    /// Editors and git take a file away for a moment to put another in its place.
    private static let settling: Int64 = 300_000_000

    /// - Parameters:
    ///   - directory: Of the manifests.
    ///   - slots: Attempts that may run at once, of all apps together; at least 1.
    ///   - executable: The host's.
    ///   - arguments: Those of the host of a manifest, given its path and its descriptor of the share.
    ///   - say: Takes a line of the log.
    public init(
        _ loop: EventLoop, directory: String, slots: Int, executable: String,
        arguments: @escaping (_ manifest: String, _ share: Int32) -> [String],
        say: @escaping (_ isError: Bool, String) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.directory = ManifestDirectory(directory)
        self.executable = executable
        self.arguments = arguments
        self.say = say
        share = try ShareServer(loop, slots: slots)
        timer = try LoopTimer(loop) { [unowned self] in handle(.timer) }
        lookTimer = try LoopTimer(loop) { [unowned self] in look() }
    }

    /// Starts the hosts; the loop does the rest, and stops when the last one has ended.
    public func start() throws(SystemFailure) {
        guard watch() else { throw SystemFailure("watching \(directory.path)", code: errno) }
        look()
    }

    /// Looks at the directory: hosts are started for manifests that are new, and end with those that
    /// are gone.
    public func look() {
        _ = watch()
        guard let (names, changed) = directory.look() else {
            return say(true, "\(directory.path) cannot be read; the hosts go on as they are")
        }
        handle(.listed(names))
        for name in changed { handle(.changed(name)) }
    }

    private func watch() -> Bool {
        directory.watch(loop) { [unowned self] in
            lookTimer?.set(elapsed: bgrun_boottime_ns() + Self.settling)
        }
    }

    /// SIGCHLD came.
    public func childrenEnded() {
        for (name, pid) in pids {
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == pid else { continue }
            pids[name] = nil
            share.leave(name)
            let signal = status & 0x7f
            handle(.ended(name, signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)))
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

    private func handle(_ event: HostsRule.Event) {
        for action in rule.handle(event, at: bgrun_boottime_ns()) { perform(action) }
    }

    private func perform(_ action: HostsRule.Action) {
        switch action {
        case .start(let name): start(name)
        case .terminate(let name):
            if !isShuttingDown { say(false, "\(name) is gone: its host ends") }
            if let pid = pids[name] { kill(pid, SIGTERM) }
        case .leaveAside(let name, let end):
            say(true, "\(name) is left aside until it is changed: its host ended (\(end.text))")
        case .retry(let name, let end, let date):
            let seconds = (date - bgrun_boottime_ns() + 500_000_000) / 1_000_000_000
            say(
                true, "the host of \(name) ended (\(end.text)); it is started again in \(seconds) s"
            )
        case .wake(let date): timer?.set(elapsed: date)
        case .finish: loop.stop()
        }
    }

    private func start(_ name: String) {
        do throws(SystemFailure) {
            let socket = try share.join(name)
            defer { close(socket) }
            let null = try SystemFailure.check("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
            defer { close(null) }
            let path = "\(directory.path)/\(name)"
            let command = CStrings([executable] + arguments(path, Self.shareDescriptor))
            let environment = CStrings(CStrings.environment)
            let pid = withExtendedLifetime((command, environment)) {
                bgrun_spawn(
                    executable, command.pointers, environment.pointers,
                    [null, STDOUT_FILENO, STDERR_FILENO, socket], 4)
            }
            guard pid > 0 else { throw SystemFailure("starting \(executable)", code: -pid) }
            pids[name] = pid
            say(false, "Hosting \(name) (process \(pid))")
        } catch {
            share.leave(name)
            say(true, "no host could be started for \(name): \(error)")
            loop.afterThisRound { [unowned self] in handle(.ended(name, .exit(EX_OSERR))) }
        }
    }
}
