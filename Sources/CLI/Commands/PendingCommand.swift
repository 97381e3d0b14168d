// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunDevice
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

struct PendingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List running attempts and pending requests, and why they wait.",
        discussion: """
            Works with and without a running host.

            Example: bgrun pending --app com.example.notes
            """)

    @OptionGroup var app: AppOptions

    @Option(
        parsing: .unconditional,
        help: .value("count", "At most this many requests. (default: 100)"),
        transform: CountArgument.parse)
    var limit = 100

    @OptionGroup var tag: TagOption
    @OptionGroup var output: JSONOption

    private struct Result: Encodable {
        var running: [RunningStatus]
        var pending: [PendingRow]
        /// The number of all pending requests.
        var count: Int
        /// The start of the host's wait for its store; nil: it does not wait.
        var waitsForStoreSince: WallTime?
        /// The same as a sentence.
        var storeWait: String?
        /// The note that this user has never run the app, with the path of its state; another user
        /// may have.
        var notRun: String?

        private enum CodingKeys: CodingKey { case running, pending, count, waitsForStoreSince }
    }

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let result = try find(manifest)
        if output.json {
            print(try JSONOutput.text(result))
        } else {
            if let wait = result.storeWait { print(wait) }
            show(result)
            try tellOfTransfers(of: manifest)
        }
    }

    /// A host may run only because of transfers.
    private func tellOfTransfers(of manifest: Manifest) throws {
        let state = try app.stateDirectory(of: manifest.app)
        guard access(state.transfers, R_OK) == 0 else { return }
        let count = try TransferAccess(state: state).views().count { !$0.isFinished }
        guard count > 0 else { return }
        print(
            (count == 1 ? "1 transfer is" : "\(count) transfers are")
                + " not finished; see `bgrun transfers`")
    }

    private func find(_ manifest: Manifest) throws -> Result {
        let state = try app.stateDirectory(of: manifest.app)
        let found = try PendingPages.read(first: limit, annotation: tag.word) {
            try HostAccess.ask($0, state)?.orRefused()
        }
        if let found {
            let running = try HostAccess.ask(ControlRequest(.running), state)?.running
            let overview = try HostAccess.ask(ControlRequest(.watch), state)?.overview?.clamped
            return Result(
                running: tag.tag == nil ? running ?? [] : [], pending: found.rows,
                count: found.count, waitsForStoreSince: overview?.host?.waitsForStoreSince,
                storeWait: overview?.storeWait(\.localTimeOfDay))
        }
        let device = try DeviceSnapshot.take(stateDirectory: state.path).state
            .stated(manifest.device)
        do throws(StoreError) {
            let store = try state.openStoreToRead()
            let requests = try store.pending(limit: tag.tag == nil ? limit : .max).filter(isMeant)
            let engine = Engine(
                manifest.engineConfiguration, device: device,
                restoring: Engine.Restoration(
                    requests: requests, lastLaunches: try store.lastLaunches(),
                    facts: try store.appFacts()))
            let now = SystemClock().now.wall
            let waiting = requests.map { PendingRow($0, in: engine, now: now) }
            var rows: [PendingRow] = []
            for request in try store.interruptedAttempts().map(\.request).filter(isMeant)
            where try store.request(request.identifier) == nil {
                let reason = AppOverview.Pending.interrupted(request, at: now)
                rows.append(PendingRow(request, reason: reason))
            }
            return Result(
                running: [], pending: Array((rows + waiting).prefix(limit)),
                count: [
                    rows.count, tag.tag == nil ? try store.pendingCount() : requests.count,
                ].saturatingSum)
        } catch {
            guard case .missing = error else { throw error }
            return Result(running: [], pending: [], count: 0, notRun: state.notRun)
        }
    }

    private func isMeant(_ request: TaskRequest) -> Bool {
        tag.word.map(request.annotations.has) ?? true
    }

    private func show(_ result: Result) {
        for attempt in result.running {
            let progress = Percentage.fraction(attempt.completed, attempt.total)
                .map { ", \(ByteText.percent($0))%" }
            print(
                "running: \(attempt.identifier) (attempt \(attempt.attempt)) since "
                    + attempt.launched.localText + (progress ?? ""))
        }
        guard !result.pending.isEmpty else {
            if result.count > 0 {
                print(
                    result.count == 1
                        ? "1 request is pending" : "\(result.count) requests are pending")
            } else if let notRun = result.notRun {
                print("nothing is pending: \(notRun)")
            } else {
                print(
                    tag.tag.map { "no pending request has the tag \($0)" } ?? "nothing is pending")
            }
            return
        }
        let areAnnotated = result.pending.contains { $0.annotations != nil }
        var table = Table(
            ["ID", "IDENTIFIER", "KIND", "NOT BEFORE", "FAILURES"]
                + (areAnnotated ? [Annotations.heading] : []) + ["WHY IT WAITS"])
        for row in result.pending {
            table.add(
                [
                    "\(row.id)", row.identifier, row.kind, row.notBefore?.localText ?? "-",
                    "\(row.failures)",
                ] + (areAnnotated ? [row.annotations?.summary ?? "-"] : []) + [row.reason])
        }
        print(table.text)
        let rest = max(result.count, result.pending.count) - result.pending.count
        if rest > 0 { print("and \(rest) more; see --limit") }
    }
}
