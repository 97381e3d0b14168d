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
        let start = "the next start of its host"
        guard declaration.submission == .launch else {
            return declaration.triggers.contains(.launch) ? [start] : []
        }
        let continues = declaration.schedule == nil ? "" : ", with which its schedule continues"
        return [start + continues]
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
            [("success", transfer.then), ("failure", transfer.onFailure)]
                .filter { $0.1 == identifier }
                .map { "the \($0.0) of the transfer \(transfer.name)" }
        }
    }
}
