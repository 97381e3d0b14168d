// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import Foundation

extension FuzzTarget {
    /// Lines between a command and a host, in both directions.
    static let control = FuzzTarget("control") { bytes in
        try check(ControlRequest.self, bytes)
        try check(ControlResponse.self, bytes)
        let response = try? JSONDecoder().decode(ControlResponse.self, text: bytes)
        guard let overview = response?.overview?.clamped else { return }
        try hold(overview.clamped == overview, "clamped again, the overview is another")
        try hold(overview.at >= .epoch, "the overview is of \(overview.at)")
    }

    private static func check<Value: Codable & Equatable>(
        _ type: Value.Type, _ bytes: [UInt8]
    ) throws {
        guard let value = try? JSONDecoder().decode(type, text: bytes) else { return }
        let line = try JSONEncoder().encode(value)
        try hold(!line.contains(UInt8(ascii: "\n")), "a message of two lines")
        try hold(
            JSONDecoder().decode(type, from: line) == value, "written and read, it is another one")
    }
}
