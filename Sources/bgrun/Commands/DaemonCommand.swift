// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunCore
import BGRunDaemon
import BGRunHost
import BGRunLoop
import Glibc

struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run the apps of every manifest in a directory.",
        discussion: """
            Each app has a host of its own, a process as `bgrun run --stay` is one; all other \
            commands work as with one of those. Manifests that come up are hosted, and the hosts of \
            those that go end. The apps share the room of the machine: of those that want to run, \
            the one that has run the least is next.

            SIGTERM and SIGINT end all hosts as they end one; a second one kills what runs. SIGHUP \
            has the directory looked at again.
            """)

    @Option(
        help: ArgumentHelp("The directory of the manifests.", valueName: "directory"),
        completion: .directory)
    var manifests: String

    @Option(
        help: ArgumentHelp(
            "Where state is kept, in a directory named after each app.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun.",
            valueName: "directory"), completion: .directory)
    var state: String?

    @Option(
        help: ArgumentHelp(
            "Attempts that may run at once, of all apps together.",
            discussion: "Default: the number of processors, at least 2.", valueName: "count"))
    var attempts: Int?

    @OptionGroup var logging: LogOptions

    func validate() throws {
        if let attempts, attempts < 1 { throw ValidationError("--attempts must be at least 1") }
    }

    func run() throws {
        try reportingFailures {
            // A log that nobody reads any more is no reason to end every host.
            signal(SIGPIPE, SIG_IGN)
            let loop = try EventLoop()
            let lines = logging.lines(.machine)
            let daemon = try Daemon(
                loop, directory: manifests, slots: attempts ?? Self.processors,
                executable: Installation().executable, arguments: arguments
            ) { isError, text in
                lines.write(
                    LogLine(
                        at: LogTime.machine.clock.now.wall, level: isError ? .error : .info,
                        text: text))
            }
            let signals = try SignalSource(loop, [SIGCHLD, SIGTERM, SIGINT, SIGHUP]) { signal in
                switch signal {
                case SIGCHLD: daemon.childrenEnded()
                case SIGHUP: daemon.look()
                default: daemon.shutDown()
                }
            }
            try daemon.start()
            loop.run()
            withExtendedLifetime((daemon, signals)) {}
        }
    }

    private func arguments(_ manifest: String, _ share: Int32) -> [String] {
        var arguments = ["run", "--stay", "--manifest", manifest, "--share", String(share)]
        if let state { arguments += ["--state", state] }
        return arguments + logging.arguments
    }

    private static var processors: Int { max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
