// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunDaemon
import BGRunStorage

struct AppsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the apps of the daemons, their users and their hosts.",
        discussion: """
            Root's daemon and this user's are asked. Exits with 69 when neither runs.

            Example: bgrun apps
            """)

    @Option(
        help: ArgumentHelp(
            "The --state that the daemon was given, if any.",
            valueName: "directory"), completion: .directory)
    var state: String?

    @OptionGroup var output: JSONOption

    func run() throws {
        let daemons = try places().compactMap { DaemonFile(base: $0).read() }
        guard !daemons.isEmpty else {
            throw Exit.unavailable.reporting(
                "no daemon runs here; start one with `bgrun daemon`, or give its --state")
        }
        let hosts = daemons.flatMap(\.hosts)
        if output.json { return print(try JSONOutput.text(hosts)) }
        var table = Table("APP", "USER", "PROCESS", "STATE", "MANIFEST")
        for host in hosts {
            let state = host.state.rawValue + (host.reason.map { ": \($0)" } ?? "")
            table.add(
                LogText.short(host.app ?? "-"), LogText.short(host.user ?? "-"),
                host.process.map(String.init) ?? "-", LogText.short(state),
                LogText.short(host.manifest))
        }
        print(table.isEmpty ? "no app is hosted: manifests are missing" : table.text)
    }

    private func places() throws(StateDirectoryError) -> [String] {
        if let state { return [DaemonPlaces.absolute(state)] }
        let own = try DaemonPlaces.state()
        return own == DaemonPlaces.commonState ? [own] : [DaemonPlaces.commonState, own]
    }
}
