// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Record: Journaled {
    func write(to writer: inout WireWriter) {
        switch self {
        case .scheduling(let request): writer.put(UInt8(0), request)
        case .starting(let attempt): writer.put(UInt8(1), attempt)
        case .expiring(let identifier, let attempt, let reason):
            writer.put(UInt8(2), identifier, attempt, reason)
        case .terminating(let identifier, let attempt): writer.put(UInt8(3), identifier, attempt)
        case .killing(let identifier, let attempt): writer.put(UInt8(4), identifier, attempt)
        case .ended(let identifier, let attempt, let outcome):
            writer.put(UInt8(5), identifier, attempt, outcome)
        case .cancelled(let request): writer.put(UInt8(6), request)
        case .retrying(let request, let delay): writer.put(UInt8(7), request, delay)
        case .requeued(let request, let outcome): writer.put(UInt8(8), request, outcome)
        case .skipped(let request, let attempt): writer.put(UInt8(9), request, attempt)
        case .gaveUp(let request, let outcome): writer.put(UInt8(10), request, outcome)
        case .stalling(let identifier, let attempt, let left):
            writer.put(UInt8(11), identifier, attempt, left)
        case .refused(let identifier, let refusal): writer.put(UInt8(12), identifier, refusal)
        case .appOpened: writer.put(UInt8(13))
        case .appForceQuit: writer.put(UInt8(14))
        case .refreshSwitch(let state): writer.put(UInt8(15), state)
        case .manifestLoaded: writer.put(UInt8(16))
        case .missed(let request, let next): writer.put(UInt8(17), request, next)
        case .shortage(let resource): writer.put(UInt8(18), resource)
        case .shortageOver(let resource): writer.put(UInt8(19), resource)
        case .superseded(let request, let id): writer.put(UInt8(20), request, id)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .scheduling(try reader.value())
        case 1: self = .starting(try reader.value())
        case 2:
            self = .expiring(
                identifier: try reader.value(), attempt: try reader.read(), try reader.value())
        case 3: self = .terminating(identifier: try reader.value(), attempt: try reader.read())
        case 4: self = .killing(identifier: try reader.value(), attempt: try reader.read())
        case 5:
            self = .ended(
                identifier: try reader.value(), attempt: try reader.read(), try reader.value())
        case 6: self = .cancelled(try reader.value())
        case 7: self = .retrying(try reader.value(), after: try reader.value())
        case 8: self = .requeued(try reader.value(), try reader.value())
        case 9: self = .skipped(try reader.value(), blockedBy: try reader.read())
        case 10: self = .gaveUp(try reader.value(), try reader.value())
        case 11:
            self = .stalling(
                identifier: try reader.value(), attempt: try reader.read(),
                left: try reader.value())
        case 12: self = .refused(try reader.value(), try reader.value())
        case 13: self = .appOpened
        case 14: self = .appForceQuit
        case 15: self = .refreshSwitch(try reader.value())
        case 16: self = .manifestLoaded
        case 17: self = .missed(try reader.value(), next: try reader.optional())
        case 18: self = .shortage(try reader.value())
        case 19: self = .shortageOver(try reader.value())
        case 20: self = .superseded(try reader.value(), by: try reader.read())
        case let tag: throw unknownTag(tag, Record.self)
        }
    }
}
