// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks

/// `parameters:` of the manifest.
struct CountParameters: Decodable {
    var pieces: Int64
    var milliseconds: Int64
}

/// What a checkpoint holds. Raise the version with every change of it.
struct Position: Codable {
    static let version: UInt32 = 1
    /// Pieces.
    var done: Int64 = 0
}

/// The work was asked to stop; the next attempt goes on there.
struct Stopped: Error, CustomStringConvertible {
    var description: String
}

/// Does its work in pieces, can be stopped between two of them, and goes on where it was.
public func count(_ task: BGTask) async throws {
    let given = try task.parameters(as: CountParameters.self)
    var at = try task.checkpoint(as: Position.self, version: Position.version) ?? Position()
    if at.done > 0 { print("goes on after \(at.done) of \(given.pieces) pieces") }

    task.attempt.setTitle("Counting", subtitle: nil)
    do {
        try await countOn(&at, given, isAskedToStop: { task.shouldDefer }) { at in
            try task.saveCheckpoint(at, version: Position.version)
            task.attempt.setProgress(completed: at.done, total: given.pieces)
        }
    } catch is CancellationError {
        throw Stopped(description: "stopped after \(at.done) of \(given.pieces) pieces")
    }
    print("counted \(at.done) of \(given.pieces) pieces")
}

/// The loop, apart from bgrun: `report` is called after each piece.
func countOn(
    _ at: inout Position, _ given: CountParameters, isAskedToStop: () -> Bool,
    report: (Position) throws -> Void
) async throws {
    while at.done < given.pieces {
        if isAskedToStop() { throw CancellationError() }
        try await doPiece(given)
        at.done += 1
        try report(at)
    }
}

/// One piece of the work: short, and harmless when it is done twice. Yours goes here. It throws
/// `CancellationError` when the time is revoked, as what it awaits does.
private func doPiece(_ given: CountParameters) async throws {
    try await Task.sleep(for: .milliseconds(given.milliseconds))
}
