// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The ways to submit a request for a task without one, for people.
struct NextSubmission {
    let manifest: Manifest
    let identifier: String
    /// The command line's `-m` and `--state`.
    let options: String

    /// The most useful ways first; empty if no task handles the identifier.
    var sources: [String] {
        guard let task = manifest.task(for: identifier) else { return [] }
        return start(task.declaration) + triggers(task) + transfers
            + ["bgrun submit \(options) \(submitted)"]
    }

    /// Replaces a wildcard, which cannot be submitted, by a placeholder.
    private var submitted: String {
        identifier.hasSuffix(".*") ? identifier.dropLast() + "NAME" : identifier
    }

    private func start(_ declaration: TaskDeclaration) -> [String] {
        if declaration.submission == .launch {
            return [
                declaration.schedule == nil
                    ? "the next start of its host"
                    : "the next start of its host, with which its schedule continues"
            ]
        }
        return declaration.triggers.contains(.launch) ? ["the next start of its host"] : []
    }

    private func triggers(_ task: TaskDefinition) -> [String] {
        var all: [String] = []
        if task.declaration.triggers.contains(.resume) {
            all.append("the end of the machine's next sleep, while a host runs")
        }
        if let path = task.watches {
            all.append("a change of \(LogText.visible(path)), while a host runs")
        }
        if let socket = task.listens {
            all.append("a connection to \(LogText.visible(socket.place)), while a host runs")
        }
        if task.declaration.kind == .push {
            all.append("a push: bgrun push \(options) \(submitted)")
        }
        return all
    }

    private var transfers: [String] {
        manifest.transfers.flatMap { transfer in
            let success =
                transfer.then == identifier ? ["the success of the transfer \(transfer.name)"] : []
            let failure =
                transfer.onFailure == identifier
                ? ["the failure of the transfer \(transfer.name)"] : []
            return success + failure
        }
    }
}
