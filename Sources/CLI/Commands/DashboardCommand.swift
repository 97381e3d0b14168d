// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunEventLoop
import BGRunHTTP
import BGRunSystem
import Dispatch
import Glibc

struct DashboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Serve pages about the apps of this machine.",
        discussion: """
            Shows what runs, what waits and why, the last days, each task and attempt; metrics at \
            /metrics, health at /healthz, JSON below /api. Without a token only this machine can \
            connect, and nothing can be changed. Runs until a signal comes.

            Example: bgrun dashboard
            """)

    @OptionGroup var apps: CatalogOptions

    @Option(
        help: ArgumentHelp(
            "Where to listen: 127.0.0.1:8725, [::1]:8725, or unix:/path, for its user only.",
            valueName: "address"))
    var listen = "127.0.0.1:8725"

    @Option(
        help: .value(
            "file", "A file with a secret of 16 characters or more.",
            discussion: "A browser that has it can launch, expire, submit and cancel."),
        completion: .file())
    var tokenFile: String?

    @Flag(help: "Listen where other machines can reach it; needs a token, also for reading.")
    var listenAnywhere = false

    func validate() throws {
        guard let address = ListenAddress(listen) else {
            throw ValidationError(
                "\"\(listen)\" is not an address; write 127.0.0.1:8725, [::1]:8725 or unix:/path")
        }
        guard address.isLocal || listenAnywhere else {
            throw ValidationError(
                "\(listen) can be reached from elsewhere; use 127.0.0.1, or --listen-anywhere with "
                    + "--token-file behind a proxy that speaks TLS")
        }
        if listenAnywhere, tokenFile == nil {
            throw ValidationError("--listen-anywhere needs --token-file")
        }
    }

    func run() throws {
        guard let address = ListenAddress(listen) else { return }
        let token = try tokenFile.map(TokenFile.read)
        let program = try Installation().requiredGateway()
        let catalog = apps.catalog
        _ = try catalog.apps()
        for problem in catalog.problems() { complain(problem) }
        let gate = HTTPGate(
            hosts: address.hosts, token: token, isTokenForAll: listenAnywhere,
            session: Self.secret(), formSecret: Self.secret())
        let dashboard = Dashboard(catalog: catalog, gate: gate)
        let loop = try EventLoop()
        let signals = try SignalSource(loop, [SIGINT, SIGTERM, SIGHUP]) { _ in loop.stop() }
        // One thread for each open request, which may block.
        let queue = DispatchQueue(label: "bgrun.requests", attributes: .concurrent)
        let requests = try BackgroundWork(loop)
        var isServed: Bool?
        var gateway: HTTPGateway?
        gateway = try HTTPGateway(
            loop, address, GatewaySettings(.gate(gate)), executable: program,
            note: { problem in
                if let problem, isServed != false { complain(problem) }
                if problem == nil, isServed != true {
                    complain("the dashboard is at \(address.text(port: gateway?.port ?? 0))")
                }
                isServed = problem == nil
            },
            handler: { request, answer in
                requests.run(on: queue, { dashboard.respond(request) }, then: answer)
            })
        loop.run()
        withExtendedLifetime((signals, gateway)) {}
    }

    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next(), radix: 36) }.joined()
    }
}

/// The apps to show.
struct CatalogOptions: ParsableArguments {
    @OptionGroup var chosen: AppsOptions

    @Option(
        help: .value(
            "directory", "Where state is kept, in a directory named after each app.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun."),
        completion: .directory)
    var state: String?

    var catalog: AppCatalog {
        AppCatalog(manifests: chosen.manifest, names: chosen.names, state: state)
    }
}

/// The file that holds a dashboard's token.
enum TokenFile {
    /// The token. A file that is invalid, or readable by other users, is reported and ends the command.
    static func read(_ path: String) throws -> String {
        let file = try ReadableFile(path) { code -> ExitCode in
            let reason = code.map { ": \(String(cString: strerror($0)))" } ?? " is not a file"
            return Exit.noInput.reporting(path + reason)
        }
        let status = file.status
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o077 == 0 else {
            throw Exit.refused.reporting(
                "others could read \(path); chmod 600 \(path), as its owner")
        }
        let bytes = file.bytes(limit: 4_096) ?? []
        let token = bytes.prefix(4_096).prefix { $0 > 0x20 && $0 < 0x7F }
        guard token.count >= 16 else {
            throw Exit.refused.reporting(
                "the token in \(path) needs 16 printable characters or more, without spaces")
        }
        return String(decoding: token, as: UTF8.self)
    }
}
