// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransfers

/// The arguments of the commands that change transfers.
struct TransferChoice: ParsableArguments {
    @OptionGroup var app: AppOptions

    @Argument(help: .value("transfer", "The numbers, names or sessions of transfers."))
    var names: [String]

    @OptionGroup var output: JSONOption

    /// Has `body` change the named transfers, and reports the changed ones; for a name without a changed
    /// transfer, the state of its last one.
    /// - Parameters:
    ///   - verb: "pause", ...
    ///   - past: "Paused", ...
    func change(
        _ verb: String, _ past: String, _ body: (TransferStore, [Transfer]) throws -> [Transfer]
    ) throws {
        let access = try app.transfers()
        var unchanged: [Int64] = []
        let changed = try access.change { store in
            let all = try store.transfers(.all)
            return try names.flatMap { name in
                let meant = all.filter {
                    ["\($0.id)", $0.label, $0.name, $0.request.session].contains(name)
                }
                let done = try body(store, meant)
                if let last = meant.last {
                    if done.isEmpty { unchanged.append(last.id) }
                } else {
                    complain(
                        "unknown transfer \"\(LogText.visible(name))\"; give a number, a name or a session "
                            + "that `bgrun transfers --all` lists")
                }
                return done
            }
        }.value
        if output.json {
            print(try JSONOutput.text(["changed": changed.map(\.id)]))
        } else {
            for transfer in changed { print("\(past) \(LogText.visible(transfer.label))") }
        }
        unchanged.removeAll { changed.map(\.id).contains($0) }
        if !unchanged.isEmpty {
            let views = try access.views(finished: .max)
            for view in views where unchanged.contains(view.id) {
                complain("nothing to \(verb): \(LogText.visible(view.label)) \(view.predicate)")
            }
        }
        if changed.isEmpty { throw ExitCode(1) }
    }
}

extension TransferStore {
    /// Sets the wanted state of the transfers that can still change.
    fileprivate func want(
        _ wanted: Transfer.Wanted, ofAll transfers: [Transfer]
    ) throws(StoreError) -> [Transfer] {
        let others = transfers.filter { $0.wanted != wanted }
        let changed = Set(try want(wanted, of: others.map(\.id)))
        return others.filter { changed.contains($0.id) }
    }
}

struct TransfersPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause transfers until they are resumed.",
        discussion: """
            The bytes they have stay. Exits with 1 when none was unfinished.

            Example: bgrun transfers pause 3 -m podcasts.yaml
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws {
        try choice.change("pause", "Paused") { try $0.want(.paused, ofAll: $1) }
    }
}

struct TransfersCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel transfers.",
        discussion: """
            The bytes they have are removed. Exits with 1 when none was unfinished.

            Example: bgrun transfers cancel 3 -m podcasts.yaml
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws {
        try choice.change("cancel", "Cancelled") { try $0.want(.cancelled, ofAll: $1) }
    }
}

struct TransfersResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume paused transfers; submit failed and cancelled ones again.",
        discussion: """
            Exits with 1 when there was nothing to resume.

            Example: bgrun transfers resume 3 -m podcasts.yaml
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws {
        try choice.change("resume", "Resumed") { store, transfers in
            let unfinished = transfers.filter { !$0.isFinished }
            guard unfinished.isEmpty else {
                return try store.want(.run, ofAll: unfinished.filter { !$0.wanted.isCancelled })
            }
            // Of several tries of a transfer, the last one counts.
            guard let last = transfers.last, [.failed, .cancelled].contains(last.progress.result)
            else { return [] }
            var request = last.request
            request.earliest = nil
            request.resume = nil
            let now = SystemClock().now.wall
            let id = try store.add(request, name: last.name, at: now)
            return [Transfer(id: id, request: request, name: last.name, submitted: now)]
        }
    }
}
