// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import Glibc

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch running and pending tasks and the device.",
        discussion: """
            Hosts report changes as they happen; top does not poll. Keys: q quits, j and k or the \
            arrows select, enter explains, e expires a running attempt, t launches a waiting task; \
            both ask first. If the output is not a terminal, one picture is printed.

            Example: bgrun top
            """)

    @OptionGroup var chosen: AppsOptions
    @OptionGroup var place: StateOption

    @Flag(help: "Print one picture as JSON.")
    var json = false

    func run() throws {
        let found = try apps()
        guard !found.isEmpty else {
            throw Exit.noInput.reporting(
                "no app has state here; start one with `bgrun --manifest FILE`")
        }
        let loop = try EventLoop()
        guard !json, Terminal.isTerminal(STDOUT_FILENO), isatty(STDIN_FILENO) == 1 else {
            return try printOnce(found)
        }
        let view = try TopView(loop)
        try DamageReport.holding {
            try view.run(
                found.map { app in WatchedApp(app, loop) { view.update($0) } })
        }
    }

    private func printOnce(_ found: [CatalogApp]) throws {
        let overviews = found.map { $0.once() }
        guard !json else { return print(try JSONOutput.text(overviews)) }
        var model = TopModel(rows: .max, columns: Terminal.width(STDOUT_FILENO))
        let now = SystemClock().now.wall
        for overview in overviews { model.update(overview, at: now) }
        for line in TopFrame(model, now: now, date: TopDate(now: now).text).list {
            // A table in a file is not truncated.
            print(line.text(width: .max, hasColor: Terminal.hasColor(STDOUT_FILENO)))
        }
    }

    private func apps() throws -> [CatalogApp] {
        if chosen.manifest.isEmpty, chosen.names.isEmpty {
            return try place.states.stored().map { CatalogApp(state: $0) }
        }
        return try chosen.manifest.map(app(of:))
            + chosen.names.map { CatalogApp(state: try place.states.known($0)) }
    }

    private func app(of path: String) throws -> CatalogApp {
        let manifest = try Manifest.read(path, .installed(checkingFiles: false))
        return CatalogApp(
            state: try place.states.existing(of: manifest.app, manifest: path), manifest: manifest)
    }
}
