// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

@testable import BGRunEventLog

// bgrun only writes these values, for their digest. The tests read them back to compare each field.

extension Action: WireValue {
    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .store(try reader.read())
        case 1: self = .remove(try reader.read())
        case 2: self = .remember(try reader.read())
        case 3: self = .launch(try reader.read())
        case 4:
            self = .expire(
                attempt: try reader.read(), try reader.read(), grace: try reader.read(),
                deadlineElapsed: try reader.read())
        case 5: self = .terminate(attempt: try reader.read())
        case 6: self = .kill(attempt: try reader.read())
        case 7: self = .reply(try reader.read(), try reader.read())
        case 8: self = .wake(elapsed: try reader.read())
        case 9: self = .record(try reader.read())
        case 10: self = .withdraw(attempt: try reader.read())
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}

extension Reply: WireValue {
    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .accepted(try reader.read(), replaced: try reader.read())
        case 1: self = .refused(try reader.read())
        case 2: self = .cancelled(try reader.read())
        case 3: self = .launched(attempt: try reader.read())
        case 4: self = .expiring(attempt: try reader.read())
        case 5: self = .notRunning
        case 6: self = .noted
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}

extension Refusal: WireValue {
    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .notPermitted(identifier: try reader.read(), nearest: try reader.read())
        case 1:
            self = .modeMissing(
                identifier: try reader.read(), kind: try reader.read(), mode: try reader.read())
        case 2: self = .noHandler(identifier: try reader.read(), nearest: try reader.read())
        case 3: self = .tooManyPending(kind: try reader.read(), limit: try reader.read())
        case 4: self = .alreadyRunning(identifier: try reader.read(), attempt: try reader.read())
        case 5: self = .notImmediately(identifier: try reader.read(), reason: try reader.read())
        case 6: self = .unavailable
        case 7: self = .postponed(identifier: try reader.read(), reason: try reader.read())
        case 8: self = .busy
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}

extension Record: WireValue {
    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .scheduling(try reader.read())
        case 1: self = .starting(try reader.read())
        case 2:
            self = .expiring(
                identifier: try reader.read(), attempt: try reader.read(), try reader.read())
        case 3: self = .terminating(identifier: try reader.read(), attempt: try reader.read())
        case 4: self = .killing(identifier: try reader.read(), attempt: try reader.read())
        case 5:
            self = .ended(
                identifier: try reader.read(), attempt: try reader.read(), try reader.read())
        case 6: self = .cancelled(try reader.read())
        case 7: self = .retrying(try reader.read(), after: try reader.read())
        case 8: self = .requeued(try reader.read(), try reader.read())
        case 9: self = .skipped(try reader.read(), blockedBy: try reader.read())
        case 10: self = .gaveUp(try reader.read(), try reader.read())
        case 11:
            self = .stalling(
                identifier: try reader.read(), attempt: try reader.read(), left: try reader.read())
        case 12: self = .refused(try reader.read(), try reader.read())
        case 13: self = .appOpened
        case 14: self = .appForceQuit
        case 15: self = .refreshSwitch(try reader.read())
        case 16: self = .manifestLoaded
        case 17: self = .missed(try reader.read(), next: try reader.read())
        case 18: self = .shortage(try reader.read())
        case 19: self = .shortageOver(try reader.read())
        case 20: self = .superseded(try reader.read(), by: try reader.read())
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}
