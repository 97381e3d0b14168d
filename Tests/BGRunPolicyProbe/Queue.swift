// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// A queue with one server (M/M/1) through the whole policy: each arrival submits a new request, only
/// one attempt may run at a time, and each departure is the end of an attempt.
///
/// The unit of time is a second; the mean service time is 1.
struct Queue {
    private var engine: Engine
    private var random: Numbers
    private var actions: [Action] = []
    /// The time of each arrival; the index is the ID of its request minus 1.
    private var arrivals: [Int64] = []
    private var departure: (at: Int64, attempt: Int64)?
    private var wake: Int64?
    private var waited: Int64 = 0
    private var served = 0
    /// Created in advance, so that the measurement excludes it; more than ever wait at the same time.
    private let identifiers = (0..<4_096).map { "queue.\($0)" }
    /// Arrivals per second.
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

    /// Runs until that many requests have been served, and returns their mean wait in seconds.
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

    /// An exponential duration in nanoseconds, with a mean of 1 / `rate` seconds.
    private mutating func exponential(_ rate: Double) -> Int64 {
        Int64(-log(1 - random.unit()) / rate * 1e9)
    }
}
