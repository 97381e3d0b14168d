// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Synchronization
import Testing

@Suite("Callbacks", .timeLimit(.minutes(10)))
struct CallbackTests {
    @Test("return another value after the expiration, so that a library can stop")
    func expiration() throws {
        let checks = Mutex(0)
        // The interpreter makes the first check, before the call.
        let bench = try Bench(isExpired: {
            checks.withLock { count in
                count += 1
                return count > 4
            }
        })
        let callback = ForeignCallback(
            parameters: [.i32], returns: .i32, value: 0, valueWhenExpired: 1, log: true)
        let outcome = bench.run(
            fixture(
                "ask_until", [.value(.callback(callback)), .value(.integer(.i32, 1000))],
                returns: .i32, success: .equals(3)))
        #expect(outcome == .succeeded(message: nil))
        #expect(
            bench.log.filter { $0.hasPrefix("info") }
                == [0, 1, 2].map { "info: ask_until called back (\($0)), answered 0" }
                + ["info: ask_until called back (3), answered 1"])
    }

    @Test("log arrays of strings, by count or up to NULL, quoted")
    func strings() throws {
        let bench = try Bench()
        let callback = ForeignCallback(
            parameters: [.i32, .strings(count: 0), .strings(count: nil), .string], returns: .void,
            log: true)
        #expect(
            bench.run(fixture("tell_strings", [.value(.callback(callback))]))
                == .succeeded(message: nil))
        #expect(
            bench.log.first
                == #"info: tell_strings called back (3, ["one", NULL, "three \"quoted\""], ["#
                + #""a", "b"], NULL)"#)
    }

    @Test("work on a thread of the library")
    func otherThread() throws {
        let bench = try Bench()
        let callback = ForeignCallback(parameters: [.i32], returns: .i32, value: -8, log: true)
        let outcome = bench.run(
            fixture(
                "ask_on_thread", [.value(.callback(callback))], returns: .i32,
                success: .equals(-8)))
        #expect(outcome == .succeeded(message: nil))
        #expect(bench.log.first == "info: ask_on_thread called back (5), answered -8")
    }

    @Test("can be named and passed again")
    func again() throws {
        let callback = ForeignCallback(parameters: [.i32], returns: .i32, value: 1)
        let outcome = try Bench().run(
            fixture(
                "ask_on_thread", [.named("answer", .callback(callback))], returns: .i32,
                success: .equals(1)),
            fixture(
                "ask_on_thread", [.value(.reference("answer"))], returns: .i32,
                success: .equals(1)))
        #expect(outcome == .succeeded(message: nil))
    }
}
