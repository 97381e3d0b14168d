// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage

extension Manifest {
    /// Reports that the manifest declares no task with that identifier: its attempts may be older than
    /// the manifest, or it is a typo.
    func pointOut(undeclared identifier: String) {
        guard task(for: identifier) == nil else { return }
        complain(
            "the manifest has no task with identifier \(identifier)"
                + NearMiss.hint(identifier, among: tasks.map(\.declaration.identifier)))
    }

    /// Ends the command if neither the manifest nor the store has that identifier; reports one that
    /// only the store has.
    func requireKnown(_ identifier: String, in state: StateDirectory) throws {
        guard task(for: identifier) == nil else { return }
        guard try state.storeToRead()?.knows(identifier) == true else { throw unknown(identifier) }
        pointOut(undeclared: identifier)
    }

    /// Reports that no task handles that identifier; the error ends the command.
    func unknown(_ identifier: String) -> any Error {
        Exit.refused.reporting(
            "no task of the manifest handles \"\(identifier)\""
                + NearMiss.hint(
                    identifier, among: tasks.map(\.declaration.identifier),
                    else: "; add it to `tasks`"))
    }
}

extension NearMiss {
    /// The end of a message about an unknown word: the nearest candidate, or `other` if none is near.
    static func hint(
        _ word: String, among candidates: [String], else other: String = ""
    ) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \"\($0)\"?" } ?? other
    }
}

extension Store {
    /// Ends the command unless the store has this attempt of `identifier`.
    func requireAttempt(_ attempt: Int64, of identifier: String?) throws {
        guard let owner = try self.identifier(ofAttempt: attempt) else {
            throw Self.unknown(attempt, known: try knownAttempts())
        }
        guard let identifier, identifier != owner else { return }
        throw Exit.noInput.reporting(
            "attempt \(attempt) belongs to \(LogText.visible(owner)), not to "
                + "\(LogText.visible(identifier)); leave out the identifier, or correct one of them"
        )
    }

    /// The error for an attempt that is not stored; `known` nil: the store has no attempts.
    static func unknown(_ attempt: Int64, known: ClosedRange<Int64>?) -> any Error {
        let stored = known.map { "it has attempts \($0.lowerBound) to \($0.upperBound)" }
        return Exit.noInput.reporting(
            "the store has no attempt \(attempt); "
                + (stored ?? "it has no attempts") + ", and `bgrun history` lists them")
    }

    fileprivate func knows(_ identifier: String) throws(StoreError) -> Bool {
        if try request(identifier) != nil { return true }
        if try !history(HistoryFilter(identifier: identifier), limit: 1).isEmpty { return true }
        return try running().contains { $0.attempt.request.identifier == identifier }
    }
}
