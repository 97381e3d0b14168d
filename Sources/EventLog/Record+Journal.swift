// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Record: WireWritable {
    package func write(to writer: inout WireWriter) {
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
}
