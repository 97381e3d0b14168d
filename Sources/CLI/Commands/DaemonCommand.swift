// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunDaemon
import BGRunEventLoop
import BGRunPolicy
import Glibc

struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run the apps of every manifest in a directory.",
        discussion: """
            Each app has its own host, a process like `bgrun run --stay`, with which all other \
            commands work. The host of an added manifest starts, that of a removed one ends. The \
            apps share the slots of the machine: of those that wait for one, the app that has run \
            the least is next.

            Started as root, each app runs as the `user` of its manifest, else as the manifest's \
            owner. `bgrun apps` shows what is hosted.

            SIGTERM and SIGINT end all hosts; a second one kills what runs. After SIGHUP the \
            daemon reads the directory and every manifest again.

            Example: bgrun daemon --manifests /etc/bgrun.d
            """)

    @Option(
        help: ArgumentHelp(
            "The directory of the manifests.",
            discussion: "Default: /etc/bgrun.d for root, else $XDG_CONFIG_HOME/bgrun.d, else "
                + "~/.config/bgrun.d; the daemon waits until it is there.",
            valueName: "directory"),
        completion: .directory)
    var manifests: String?

    @Option(
        help: ArgumentHelp(
            "Where state is kept, in a directory named after each app.",
            discussion: "Default: /var/lib/bgrun for root, else $XDG_STATE_HOME/bgrun, else "
                + "~/.local/state/bgrun.",
            valueName: "directory"), completion: .directory)
    var state: String?

    @Option(
        help: .value(
            "count", "Attempts that may run at once, of all apps together.",
            discussion: "Default: the number of processors, at least 2."))
    var attempts: Int?

    @OptionGroup var logging: LogOptions

    @Option(
        name: .customLong("reclaim-after"),
        help: .value(
            "duration", "How long an app waits for a slot before another app must return one.",
            discussion: "Default: 10m."), transform: DurationArgument.parse)
    var reclaimAfter: Interval?

    /// A process of the daemon: prints the facts of a manifest that the daemon needs.
    @Option(help: .hidden)
    var look: String?

    /// A process of the daemon: prints why other users could change a manifest.
    @Option(help: .hidden)
    var trust: String?

    /// The user that such a process continues as, or checks for.
    @Option(help: .hidden)
    var user: UInt32?

    /// The installed plugins, which that process may not be able to see.
    @Option(help: .hidden)
    var shipped = ""

    func validate() throws {
        if let attempts, attempts < 1 { throw ValidationError("--attempts must be at least 1") }
    }

    func run() throws {
        if let look {
            return try ManifestLook.run(
                look, as: user, shipped: shipped.split(separator: ",").map(String.init))
        }
        if let trust { return ManifestLook.judge(trust, for: user ?? geteuid()) }
        if let missing = Daemon.missingRights {
            throw Exit.refused.reporting(missing)
        }
        let variables = ServiceManager.Variables.take()
        // A log without a reader must not end all hosts.
        signal(SIGPIPE, SIG_IGN)
        let loop = try EventLoop()
        let say = logging.style.lines(.machine).say
        let directory = try manifestDirectory(say)
        let base = DaemonPlaces.absolute(try state ?? DaemonPlaces.state())
        let file = DaemonFile(base: base)
        let lock = try file.lock(directory)
        let installation = Installation()
        let plugins = installation.plugins.joined(separator: ",")
        var options = Daemon.Options(
            directory: directory, slots: attempts ?? Self.processors,
            executable: installation.executable, state: base,
            looking: { manifest, user in
                ["daemon", "--look", manifest, "--shipped", plugins]
                    + (user.map { ["--user", String($0)] } ?? [])
            },
            trusting: { ["daemon", "--trust", $0, "--user", String($1)] }
        ) { arguments($0, $1, base) }
        if let reclaimAfter { options.share.reclaimAfter = reclaimAfter }
        let daemon = try Daemon(loop, options, say: say)
        let service = DaemonService(daemon, try ServiceManager(loop, variables), file)
        let signals = try SignalSource(
            loop, [SIGCHLD, SIGTERM, SIGINT, SIGHUP], reportsStops: true
        ) { signal in
            switch signal {
            case SIGCHLD: daemon.childrenEnded()
            case SIGHUP:
                say(false, "Reading \(directory) and its manifests again")
                service.reloading()
                daemon.reload()
            default:
                say(false, "Told to end: ending all hosts")
                service.stopping()
                daemon.shutDown()
            }
        }
        daemon.look()
        loop.run()
        service.ended()
        say(false, "Ended")
        withExtendedLifetime((daemon, signals)) {}
        _ = consume lock
    }

    private func arguments(_ manifest: String, _ share: Int32, _ base: String) -> [String] {
        [
            "run", "--stay", "--manifest", manifest, "--share", String(share), "--state", base,
        ] + logging.style.arguments
    }

    /// A named directory must exist; the default one may be created later.
    private func manifestDirectory(_ say: (Bool, String) -> Void) throws -> String {
        let usual = try DaemonPlaces.manifests()
        let path = DaemonPlaces.absolute(manifests ?? usual)
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT != S_IFDIR else { return path }
        guard manifests == nil else {
            throw Exit.noInput.reporting(
                "\(path) is \(isThere ? "no directory" : "not there"); make it, or give another "
                    + "--manifests")
        }
        say(false, "\(path) does not exist yet: its manifests will be hosted")
        return path
    }

    private static var processors: Int { max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
