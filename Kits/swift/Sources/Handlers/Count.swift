// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks

/// `parameters:` of the manifest.
private struct CountParameters: Decodable {
    var pieces: Int64
    var milliseconds: Int64
}

/// What a checkpoint holds. Raise the version with every change of it.
private struct Position: Codable {
    static let version: UInt32 = 1
    /// Pieces.
    var done: Int64 = 0
}

/// The work was asked to stop; the next attempt continues there.
private struct Stopped: Error, CustomStringConvertible {
    var description: String
}

/// Does its work in pieces, can be stopped between two of them, and continues where it was.
func count(_ task: BGTask) async throws {
    let given = try task.parameters(as: CountParameters.self)
    var at = try task.checkpoint(as: Position.self, version: Position.version) ?? Position()
    if at.done > 0 { print("continues after \(at.done) of \(given.pieces) pieces") }

    task.attempt.setTitle("Counting", subtitle: nil)
    while at.done < given.pieces {
        do {
            if task.shouldDefer { throw CancellationError() }
            try await doPiece(given)
        } catch is CancellationError {
            throw Stopped(description: "stopped after \(at.done) of \(given.pieces) pieces")
        }
        at.done += 1
        try task.saveCheckpoint(at, version: Position.version)
        task.attempt.setProgress(completed: at.done, total: given.pieces)
    }
    print("counted \(at.done) of \(given.pieces) pieces")
}

/// One piece of the work: short, and harmless when it is done twice. Yours goes here. It throws
/// `CancellationError` when the time is revoked, as what it awaits does.
private func doPiece(_ given: CountParameters) async throws {
    try await Task.sleep(for: .milliseconds(given.milliseconds))
}
