// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks

/// `parameters:` of the manifest.
private struct CountParameters: Decodable {
    var pieces: Int64
    var milliseconds: Int64
}

/// The content of a checkpoint. Raise the version with every change.
private struct Position: Codable {
    static let version: UInt32 = 1
    /// Pieces.
    var done: Int64 = 0
}

/// The work was asked to stop; the next attempt continues.
private struct Stopped: Error, CustomStringConvertible {
    var description: String
}

/// Does its work in pieces, can stop after each piece, and continues at the next one.
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

/// Does one piece of the work; put yours here. It must be short, and harmless if repeated. Throws
/// `CancellationError` when the time is revoked, like the functions that it awaits.
private func doPiece(_ given: CountParameters) async throws {
    try await Task.sleep(for: .milliseconds(given.milliseconds))
}
