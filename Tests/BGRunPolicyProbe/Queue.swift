// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// A queue with one server (M/M/1) through the whole policy: each arrival submits a request of its own,
/// one attempt may run at once, and each departure is the end of an attempt.
///
/// The unit of time is a second, of which the mean service takes one.
struct Queue {
    private var engine: Engine
    private var random: Numbers
    private var actions: [Action] = []
    /// When each arrival came, by the id of its request less one.
    private var arrivals: [Int64] = []
    private var departure: (at: Int64, attempt: Int64)?
    private var wake: Int64?
    private var waited: Int64 = 0
    private var served = 0
    /// More than ever wait at once: what is measured is no making of strings.
    private let identifiers = (0..<4_096).map { "queue.\($0)" }
    /// Arrivals in a second.
    private let rate: Double

    init(rate: Double, seed: UInt64) {
        self.rate = rate
        random = Numbers(state: seed)
        var policy = Policy.server
        policy.concurrentAttempts = 1
        engine = Engine(
            Engine.Configuration(
                permitted: ["queue.*"],
                declarations: [
                    TaskDeclaration(identifier: "queue.*", kind: .processing, submission: .manual)
                ], modes: [.processing], policy: policy),
            device: DeviceState(externalPower: .yes))
    }

    /// Runs until so many have been served, and returns how long they waited on the average, in
    /// seconds.
    mutating func serve(_ customers: Int) -> Double {
        arrivals.reserveCapacity(customers)
        var arrival = exponential(rate)
        while served < customers {
            if let wake, wake < min(arrival, departure?.at ?? .max) {
                self.wake = nil
                handle(.timer, at: wake)
            } else if let (at, attempt) = departure, at <= arrival {
                departure = nil
                served += 1
                handle(.attemptEnded(attempt: attempt, .completed), at: at)
            } else {
                let identifier = identifiers[arrivals.count % identifiers.count]
                arrivals.append(arrival)
                let submission = Submission(identifier: identifier, delay: .zero)
                handle(.submit(submission, ticket: nil), at: arrival)
                arrival += exponential(rate)
            }
        }
        return Double(waited) / Double(served) / 1e9
    }

    private mutating func handle(_ event: Event, at now: Int64) {
        actions.removeAll(keepingCapacity: true)
        let instant = Instant(elapsed: now, wall: WallTime(milliseconds: now / 1_000_000))
        engine.handle(event, at: instant, using: &random, into: &actions)
        for index in actions.indices {
            switch actions[index] {
            case .launch(let attempt):
                waited += now - arrivals[Int(attempt.request.id) - 1]
                departure = (now + exponential(1), attempt.id)
            case .wake(let instant): wake = instant
            default: break
            }
        }
    }

    /// A length of time in nanoseconds; its mean is 1 / `rate` seconds.
    private mutating func exponential(_ rate: Double) -> Int64 {
        Int64(-log(1 - random.unit()) / rate * 1e9)
    }
}
