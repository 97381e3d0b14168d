// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage

extension Manifest {
    /// Says that no task has that identifier, when none has: there may be attempts from before the
    /// manifest was changed, or it may be a typo.
    func pointOut(undeclared identifier: String) {
        guard task(for: identifier) == nil else { return }
        complain(
            "the manifest has no task with identifier \(identifier)"
                + NearMiss.hint(identifier, among: tasks.map(\.declaration.identifier)))
    }

    /// Ends the command if neither a task nor anything in the store has that identifier; says so when
    /// only the store has it.
    func requireKnown(_ identifier: String, in state: StateDirectory) throws {
        guard task(for: identifier) == nil else { return }
        guard try state.storeToRead()?.knows(identifier) == true else { throw unknown(identifier) }
        pointOut(undeclared: identifier)
    }

    /// Says that no task handles that identifier; the error ends the command.
    func unknown(_ identifier: String) -> any Error {
        Exit.refused.reporting(
            "no task of the manifest handles \"\(identifier)\""
                + NearMiss.hint(
                    identifier, among: tasks.map(\.declaration.identifier),
                    else: "; add it to `tasks`"))
    }
}

extension NearMiss {
    /// The end of a message about an unknown word: the nearest candidate, or `other` when none is near.
    static func hint(
        _ word: String, among candidates: [String], else other: String = ""
    ) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \"\($0)\"?" } ?? other
    }
}

extension Store {
    fileprivate func knows(_ identifier: String) throws(StoreError) -> Bool {
        if try request(identifier) != nil { return true }
        if try !history(HistoryFilter(identifier: identifier), limit: 1).isEmpty { return true }
        return try running().contains { $0.attempt.request.identifier == identifier }
    }
}
