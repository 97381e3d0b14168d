// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// A queue with one server (M/M/1) through the whole policy: each arrival submits a request, one attempt
/// may run at a time, and each departure is the end of an attempt.
///
/// The mean service time is one second.
struct Queue {
    private var engine: Engine
    private var random: Numbers
    private var actions: [Action] = []
    /// The time of each arrival, in nanoseconds; the index is the id of its request less one.
    private var arrivals: [Int64] = []
    private var departure: (at: Int64, attempt: Int64)?
    private var wake: Int64?
    private var waited: Int64 = 0
    private var served = 0
    /// More than can wait at once, so that no strings are created during the measurement.
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

    /// Runs until `customers` have been served. Returns their mean waiting time in seconds.
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

    /// A random duration in nanoseconds, with a mean of 1 / `rate` seconds.
    private mutating func exponential(_ rate: Double) -> Int64 {
        Int64(-log(1 - random.unit()) / rate * 1e9)
    }
}
