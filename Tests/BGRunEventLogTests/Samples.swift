// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension SplitMix {
    mutating func integer() -> Int64 {
        switch next() % 4 {
        case 0: Int64(next() % 100)
        case 1: .min
        case 2: .max
        default: Int64(bitPattern: next())
        }
    }

    mutating func bool() -> Bool { next() % 2 == 0 }

    mutating func text() -> String {
        ["", "a", "org.test.job", "Übung\u{0}\n", "{\"key\": [1, 2]}", "wild.*"]
            .randomElement(using: &self) ?? ""
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(next() % UInt64(values.count))]
    }

    mutating func maybe<Value>(_ value: Value) -> Value? { bool() ? value : nil }

    mutating func wall() -> WallTime { WallTime(milliseconds: integer()) }
    mutating func interval() -> Interval { Interval(nanoseconds: integer()) }
    mutating func instant() -> Instant { Instant(elapsed: integer(), wall: wall()) }
    mutating func ticket() -> Ticket? { maybe(next()) }

    mutating func request() -> TaskRequest {
        TaskRequest(
            id: integer(), identifier: text(), kind: pick(TaskKind.allCases), submitted: wall(),
            earliest: maybe(wall()), waitingSince: maybe(wall()), parameters: maybe(text()),
            requires: Conditions(rawValue: UInt8(truncatingIfNeeded: next()) & 0x7f),
            occurrence: maybe(wall()), failures: Int(integer()), interruptions: Int(integer()),
            isOnlyImmediate: bool())
    }

    mutating func schedule() -> Schedule? {
        let zone = ZoneRules(
            name: text(), transitions: [integer()], offsets: [integer(), integer()],
            rule: RecurringRule(posix: pick(["CET-1CEST,M3.5.0,M10.5.0/3", "<-03>3", ""])))
        let cron = CronSchedule(
            seconds: next(), minutes: next(), hours: UInt32(truncatingIfNeeded: next()),
            days: UInt32(truncatingIfNeeded: next()), months: UInt16(truncatingIfNeeded: next()),
            weekdays: UInt8(truncatingIfNeeded: next()), stars: [.hour, .day])
        let part = SystemdCalendar.Component(
            start: integer(), stop: maybe(integer()), step: integer())
        let calendar = SystemdCalendar(
            weekdays: 3, years: [part], months: [], days: [part, part], daysFromEnd: bool(),
            hours: [part], minutes: [], seconds: [part])
        let entries = [
            CalendarSchedule.Entry(.cron(cron), in: zone, text: text()),
            CalendarSchedule.Entry(.systemd(calendar), in: .utc, text: text()),
            CalendarSchedule.Entry(.systemd(calendar), in: zone, text: text()),
        ]
        return pick([
            nil, .every(interval()), .every(interval(), flex: interval()),
            .calendar(CalendarSchedule(entries)),
        ])
    }

    mutating func submission() -> Submission {
        Submission(
            identifier: text(), delay: maybe(interval()), parameters: maybe(text()),
            requires: pick(Conditions.each.filter { $0 != .memoryNotLow }), isOnlyImmediate: bool())
    }

    mutating func attempt() -> Attempt {
        Attempt(
            id: integer(), request: request(), declaration: text(), deadlineElapsed: integer(),
            launched: instant())
    }

    mutating func outcome() -> Outcome {
        pick([
            .completed, .failed, .expired(pick(StopReason.allCases), reported: maybe(bool())),
            .crashed(signal: Int32(truncatingIfNeeded: next())),
            .exited(code: Int32(truncatingIfNeeded: next())), .refused, .interrupted,
        ])
    }

    mutating func device() -> DeviceState {
        let readings: [Reading] = [.unknown, .no, .yes]
        return DeviceState(
            externalPower: pick(readings), batteryPercent: maybe(Int(next() % 101)),
            lowPowerMode: pick(readings), network: pick(readings), networkMetered: pick(readings),
            userIdle: pick(readings), storageLow: pick(readings),
            thermal: maybe(pick(ThermalState.allCases)), pressure: pick(readings),
            gpu: pick(readings))
    }

    /// One event of each kind.
    mutating func events() -> [Event] {
        let attempts = (0..<Int(next() % 3)).map { _ in
            InterruptedAttempt(id: integer(), request: request())
        }
        var byApp = submission()
        byApp.isFromApp = true
        var byTask = submission()
        byTask.isFromOwnTask = true
        return [
            .recover(attempts), .start, .startOnce, .submit(submission(), ticket: ticket()),
            .submit(byApp, ticket: ticket()), .submit(byTask, ticket: ticket()),
            .cancel(identifier: text(), ticket: ticket()), .cancelAll(ticket: ticket()),
            .trigger(submission(), ticket: ticket()),
            .expire(identifier: text(), pick(StopReason.allCases), ticket: ticket()),
            .attemptReported(attempt: integer()), .attemptEnded(attempt: integer(), outcome()),
            .progress(attempt: integer(), completed: integer(), total: integer()),
            .assertionBegan(attempt: integer(), id: integer()),
            .assertionEnded(attempt: integer(), id: integer()), .appOpened(ticket: ticket()),
            .appForceQuit(ticket: ticket()),
            .refreshSwitch(pick(RefreshSwitch.allCases), ticket: ticket()),
            .deviceChanged(device()), .timer, .closeAdmission, .shutdown,
            .suspending(within: maybe(interval())), .resumed,
            .manifestChanged(stopping: [1, 2]), .manifestLoaded(added: [text()]), .granted(3),
            .shareReclaimed(2),
            .launchDeferred([1, 2], .processes), .launchesDelayed([1, 2]),
            .launchesEnd(withdrawn: [1, 2]), .attemptWaits(attempt: 1), .attemptBegan(attempt: 1),
            .late(.attemptReported(attempt: 1), arrived: instant()),
        ]
    }

    mutating func refusals() -> [Refusal] {
        [
            .notPermitted(identifier: text(), nearest: maybe(text())),
            .modeMissing(
                identifier: text(), kind: pick(TaskKind.allCases), mode: pick(Mode.allCases)),
            .noHandler(identifier: text(), nearest: maybe(text())),
            .tooManyPending(kind: pick(TaskKind.allCases), limit: Int(integer())),
            .alreadyRunning(identifier: text(), attempt: integer()),
            .notImmediately(identifier: text(), reason: text()), .unavailable,
        ]
    }

    mutating func replies() -> [Reply] {
        [
            .accepted(request(), replaced: maybe(integer())), .refused(pick(refusals())),
            .cancelled(Int(integer())), .launched(attempt: integer()),
            .expiring(attempt: integer()), .notRunning, .noted,
        ]
    }

    mutating func records() -> [Record] {
        [
            .scheduling(request()), .starting(attempt()),
            .expiring(identifier: text(), attempt: integer(), pick(StopReason.allCases)),
            .terminating(identifier: text(), attempt: integer()),
            .killing(identifier: text(), attempt: integer()),
            .ended(identifier: text(), attempt: integer(), outcome()), .cancelled(request()),
            .retrying(request(), after: interval()), .requeued(request(), outcome()),
            .skipped(request(), blockedBy: integer()), .gaveUp(request(), outcome()),
            .missed(request(), next: maybe(wall())),
            .stalling(identifier: text(), attempt: integer(), left: interval()),
            .refused(text(), pick(refusals())), .manifestLoaded, .appOpened, .appForceQuit,
            .refreshSwitch(pick(RefreshSwitch.allCases)), .shortage(.memory),
            .shortageOver(.descriptors), .superseded(request(), by: integer()),
        ]
    }

    /// One action of each kind.
    mutating func actions() -> [Action] {
        [
            .store(request()), .remove(request()),
            .remember([Fact(text(), maybe(integer())), Fact(text(), nil)]), .launch(attempt()),
            .expire(
                attempt: integer(), pick(StopReason.allCases), grace: interval(),
                deadlineElapsed: integer()),
            .terminate(attempt: integer()), .kill(attempt: integer()),
            .withdraw(attempt: 3), .reply(next(), pick(replies())),
            .wake(elapsed: maybe(integer())),
            .record(pick(records())),
        ]
    }

    mutating func configuration() -> Engine.Configuration {
        var policy: Policy = bool() ? .apple : .server
        for setting in PolicySetting.all where bool() {
            setting.set(Int64(next() >> 2), in: &policy)
        }
        let declarations = (0..<Int(next() % 4)).map { _ in
            TaskDeclaration(
                identifier: text(), kind: pick(TaskKind.allCases),
                requires: Conditions(rawValue: UInt8(truncatingIfNeeded: next())),
                earliest: interval(), schedule: schedule(),
                submission: pick(TaskDeclaration.Submission.allCases),
                timeLimit: maybe(interval()), grace: maybe(interval()),
                retry: maybe(
                    RetryRule(
                        backoff: pick(RetryRule.Backoff.allCases), from: interval(),
                        to: interval(), attempts: maybe(Int(integer())))),
                overlap: pick(Overlap.allCases), catchUp: pick(CatchUp.allCases),
                jitter: interval(),
                group: maybe(TaskDeclaration.Group(name: text(), limit: Int(integer()))),
                strategy: pick(Strategy.allCases), startDeadline: maybe(interval()),
                triggers: .init(rawValue: UInt8(next() % 4)))
        }
        return Engine.Configuration(
            permitted: [text(), text()], declarations: declarations,
            modes: Set(Mode.allCases.filter { _ in bool() }), policy: policy,
            usageZone: ZoneRules(name: text(), transitions: [], offsets: [integer()], rule: nil))
    }
}
