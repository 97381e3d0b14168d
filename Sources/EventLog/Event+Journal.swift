// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Event: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .recover(let attempts): writer.put(UInt8(0), attempts)
        case .start: writer.put(UInt8(1))
        case .submit(let submission, let ticket):
            writer.put(submission.journalTag, submission, ticket)
        case .cancel(let identifier, let ticket): writer.put(UInt8(3), identifier, ticket)
        case .cancelAll(let ticket): writer.put(UInt8(4), ticket)
        case .cancelAnnotated(let word, let ticket): writer.put(UInt8(35), word, ticket)
        case .trigger(let submission, let ticket): writer.put(UInt8(5), submission, ticket)
        case .expire(let identifier, let reason, let ticket):
            writer.put(UInt8(6), identifier, reason, ticket)
        case .attemptReported(let attempt): writer.put(UInt8(7), attempt)
        case .attemptEnded(let attempt, let outcome): writer.put(UInt8(8), attempt, outcome)
        case .progress(let attempt, let completed, let total):
            writer.put(UInt8(9), attempt, completed, total)
        case .assertionBegan(let attempt, let id): writer.put(UInt8(10), attempt, id)
        case .assertionEnded(let attempt, let id): writer.put(UInt8(11), attempt, id)
        case .appOpened(let ticket): writer.put(UInt8(12), ticket)
        case .appForceQuit(let ticket): writer.put(UInt8(13), ticket)
        case .refreshSwitch(let state, let ticket): writer.put(UInt8(14), state, ticket)
        case .deviceChanged(let state): writer.put(UInt8(15), state)
        case .timer: writer.put(UInt8(16))
        case .closeAdmission: writer.put(UInt8(17))
        case .shutdown: writer.put(UInt8(18))
        case .suspending(let within): writer.put(UInt8(19), within)
        case .resumed: writer.put(UInt8(20))
        case .slept: writer.put(UInt8(21))
        case .startOnce: writer.put(UInt8(25))
        case .manifestChanged(let attempts): writer.put(UInt8(22), attempts)
        case .manifestLoaded(let added): writer.put(UInt8(23), added)
        case .granted(let count): writer.put(UInt8(24), count)
        case .shareReclaimed(let count): writer.put(UInt8(28), count)
        case .launchDeferred(let attempts, let resource): writer.put(UInt8(27), attempts, resource)
        case .launchesDelayed(let attempts): writer.put(UInt8(29), attempts)
        case .launchesEnd(let attempts): writer.put(UInt8(31), attempts)
        case .attemptWaits(let attempt): writer.put(UInt8(32), attempt)
        case .attemptBegan(let attempt): writer.put(UInt8(33), attempt)
        case .late(let event, let arrived): writer.put(UInt8(30), event, arrived)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .recover(try reader.read())
        case 1: self = .start
        case 2: self = .submit(try reader.read(), ticket: try reader.read())
        case 3: self = .cancel(identifier: try reader.read(), ticket: try reader.read())
        case 4: self = .cancelAll(ticket: try reader.read())
        case 5: self = .trigger(try reader.read(), ticket: try reader.read())
        case 6:
            self = .expire(
                identifier: try reader.read(), try reader.read(), ticket: try reader.read())
        case 7: self = .attemptReported(attempt: try reader.read())
        case 8: self = .attemptEnded(attempt: try reader.read(), try reader.read())
        case 9:
            self = .progress(
                attempt: try reader.read(), completed: try reader.read(), total: try reader.read())
        case 10: self = .assertionBegan(attempt: try reader.read(), id: try reader.read())
        case 11: self = .assertionEnded(attempt: try reader.read(), id: try reader.read())
        case 12: self = .appOpened(ticket: try reader.read())
        case 13: self = .appForceQuit(ticket: try reader.read())
        case 14: self = .refreshSwitch(try reader.read(), ticket: try reader.read())
        case 15: self = .deviceChanged(try reader.read())
        case 16: self = .timer
        case 17: self = .closeAdmission
        case 18: self = .shutdown
        case 19: self = .suspending(within: try reader.read())
        case 20: self = .resumed
        case 21: self = .slept
        case 22: self = .manifestChanged(stopping: try reader.read())
        case 23: self = .manifestLoaded(added: try reader.read())
        case 24: self = .granted(try reader.read())
        case 25: self = .startOnce
        case 27: self = .launchDeferred(try reader.read(), try reader.read())
        case let tag where tag == Submission.appTag || tag == Submission.ownTaskTag:
            var submission: Submission = try reader.read()
            submission.isFromApp = true
            submission.isFromOwnTask = tag == Submission.ownTaskTag
            self = .submit(submission, ticket: try reader.read())
        case 28: self = .shareReclaimed(try reader.read())
        case 29: self = .launchesDelayed(try reader.read())
        case 30:
            let event: Event = try reader.read()
            // Only in a damaged journal: a chain of them could be as long as the file.
            if case .late = event { throw unknownTag(30, Event.self) }
            self = .late(event, arrived: try reader.read())
        case 31: self = .launchesEnd(withdrawn: try reader.read())
        case 32: self = .attemptWaits(attempt: try reader.read())
        case 33: self = .attemptBegan(attempt: try reader.read())
        case 35: self = .cancelAnnotated(try reader.read(), ticket: try reader.read())
        case let tag: throw unknownTag(tag, Event.self)
        }
    }
}
