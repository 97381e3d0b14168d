// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// The identifiers and patterns for which workers have registered a handler after their init, by the
/// kind of worker: a new worker does not have these handlers.
struct LateHandlers {
    /// The maximum for workers with one key; further ones are unknown.
    private static let most = 1_000

    private struct Known {
        /// The plugin that registered them: another one may register them in its init.
        let file: LoadedFile
        var identifiers: Set<String> = []
        /// The registrations of the newest worker in its init; a further worker has the same.
        var atInit: [Registration] = []

        func isAtInit(_ identifier: String) -> Bool {
            file.isUnchanged && atInit.coverContinued(identifier)
        }

        func isLate(_ identifier: String) -> Bool {
            file.isUnchanged && !isAtInit(identifier)
                && IdentifierRule(permitting: Array(identifiers)).permits(identifier)
        }
    }

    private var known: [WorkerKey: Known] = [:]

    mutating func add(_ identifier: String, by worker: WorkerProcess) {
        var known = known[worker.key] ?? Known(file: worker.plugin)
        if !known.file.isUnchanged { known = Known(file: worker.plugin) }
        known.atInit = worker.registeredAtInit
        guard known.identifiers.count < Self.most else { return }
        known.identifiers.insert(identifier)
        self.known[worker.key] = known
    }

    /// The plugin's init has returned in a worker.
    mutating func noteInit(of worker: WorkerProcess) {
        known[worker.key]?.atInit = worker.registeredAtInit
    }

    /// Whether a new worker with that key lacks the handler.
    func contains(_ identifier: String, _ key: WorkerKey) -> Bool {
        known[key]?.isLate(identifier) ?? false
    }

    /// Whether only workers of the same plugin with another environment have registered the handler.
    func isOnlyElsewhere(_ identifier: String, _ key: WorkerKey) -> Bool {
        known[key]?.isAtInit(identifier) != true
            && known.contains {
                $0.key != key && $0.key.plugin == key.plugin && $0.value.isLate(identifier)
            }
    }
}

extension [Registration] {
    /// Whether one of them is for the continued task `identifier`.
    func coverContinued(_ identifier: String) -> Bool {
        contains { $0.covers(identifier, kind: TaskKind.continued.rawValue) }
    }
}
