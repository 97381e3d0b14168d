// SPDX-License-Identifier: Apache-2.0

import BGRunStorage

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
}
