// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

// The values of the journal. Each `write` of an enumeration switches over all cases, so that a new case without a format
// does not compile. Tags are never reused; a change that older versions cannot read raises `JournalFile.format`.

extension Conditions: WireValue {}
extension Reading: WireValue {}
extension ThermalState: WireValue {}
extension RefreshSwitch: WireValue {}
extension StopReason: WireValue {}
extension TaskKind: WireValue {}
extension Mode: WireValue {}
extension Resource: WireValue {}
extension CatchUp: WireValue {}
extension Strategy: WireValue {}
extension Overlap: WireValue {}
extension TaskDeclaration.Submission: WireValue {}
extension RetryRule.Backoff: WireValue {}
extension Policy.Profile: WireValue {}

extension WallTime: WireValue {
    package func write(to writer: inout WireWriter) { writer.put(milliseconds) }
    package init(from reader: inout WireReader) throws(WireError) {
        self.init(milliseconds: try reader.read())
    }
}

extension Interval: WireValue {
    package func write(to writer: inout WireWriter) { writer.put(nanoseconds) }
    package init(from reader: inout WireReader) throws(WireError) {
        self.init(nanoseconds: try reader.read())
    }
}

extension Instant: WireValue {
    package func write(to writer: inout WireWriter) { writer.put(elapsed, wall) }
    package init(from reader: inout WireReader) throws(WireError) {
        self.init(elapsed: try reader.read(), wall: try reader.read())
    }
}

/// The error of an unknown tag.
func unknownTag<Value>(_ tag: UInt8, _ type: Value.Type) -> WireError {
    .malformed("\(type) \(tag) is unknown")
}
