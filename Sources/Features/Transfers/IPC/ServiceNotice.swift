// SPDX-License-Identifier: Apache-2.0

/// A message from the transfer service to hosts. The database always has the state first: a notice only says when to
/// read it.
package enum ServiceNotice: Equatable, Sendable {
    /// The rows of these transfers have changed in more than their bytes: started, waiting, finished. Sent at once.
    /// Empty: any row may have changed since the last connection.
    case changed([Int64])
    /// The progress of moving transfers; at most five times a second for all of them together.
    case progress([Progress])

    package struct Progress: Equatable, Sendable, Codable {
        package var id: Int64
        package var bytes: Int64
        package var total: Int64?

        package init(id: Int64, bytes: Int64, total: Int64?) {
            self.id = id
            self.bytes = bytes
            self.total = total
        }
    }

    /// The notice as one line of JSON, including its line feed.
    package var line: [UInt8] {
        switch self {
        case .changed(let ids): JSONLine.encode(Wire(changed: ids))
        case .progress(let progress): JSONLine.encode(Wire(progress: progress))
        }
    }

    /// Nil if the line is not a notice of this version.
    package init?(line: ArraySlice<UInt8>) {
        guard let wire = JSONLine.decode(Wire.self, line) else { return nil }
        if let ids = wire.changed {
            self = .changed(ids)
        } else if let progress = wire.progress {
            self = .progress(progress)
        } else {
            return nil
        }
    }

    private struct Wire: Codable {
        var changed: [Int64]?
        var progress: [Progress]?
    }
}
