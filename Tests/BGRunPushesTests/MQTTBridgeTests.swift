// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunManifest
@testable import BGRunPushes

/// The tests use a script instead of `bgrun-mqtt`.
@Suite("The bridge to a broker", .timeLimit(.minutes(5)))
struct MQTTBridgeTests {
    /// A simulated host, which takes each message in the next round.
    private final class SimulatedHost {
        let path = NSTemporaryDirectory() + "bgrun-bridge-" + UUID().uuidString
        let loop: EventLoop
        var taken: [String] = []
        var refusals: [PushRefusal]
        /// The refusals of invalid messages.
        var invalid: [PushRefusal] = []
        /// The message after which the loop stops.
        var last = ""
        var states: [PushSourceState] = []
        private var started: [pid_t] = []
        private var limit: LoopTimer?

        init(refusing refusals: [PushRefusal]) throws {
            self.refusals = refusals
            loop = try EventLoop()
            limit = try LoopTimer(loop) { [unowned self] in loop.stop() }
            mkdir(path, 0o700)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        private var sink: PushSink {
            PushSink(
                loop: loop, app: "org.app", now: { WallTime(milliseconds: 1) },
                deliver: { [unowned self] offer, _, answer in
                    loop.afterThisRound { [unowned self] in take(offer, answer) }
                }, say: { [unowned self] in states.append($0) })
        }

        private func take(
            _ got: Result<PushOffer, PushRefusal>, _ answer: @escaping PushAnswerer
        ) {
            let offer: PushOffer
            do throws(PushRefusal) {
                offer = try got.get()
            } catch {
                invalid.append(error)
                return answer(.failure(error))
            }
            if !refusals.isEmpty { return answer(.failure(refusals.removeFirst())) }
            taken.append(offer.identifier)
            if offer.identifier == last { loop.stop() }
            answer(.success(PushReceipt(of: offer)))
        }

        /// A bridge whose program cannot be started.
        func unstartable() throws {
            let mqtt = PushSources.MQTT(host: "localhost", port: 1, isTLS: false, topics: ["t"])
            _ = try MQTTBridge(sink, mqtt, executable: path + "/missing") { _ in
                Issue.record("it was started")
            }
        }

        /// Runs the bridge with `script` until the host has taken `last`.
        func run(
            _ script: String, until last: String, spool: String? = nil,
            opener: @escaping RegularFile.Opener = RegularFile.opener
        ) throws {
            let file = path + "/bgrun-mqtt"
            try script.write(toFile: file, atomically: true, encoding: .utf8)
            chmod(file, 0o700)
            self.last = last
            let mqtt = PushSources.MQTT(host: "localhost", port: 1, isTLS: false, topics: ["t"])
            let bridge = try MQTTBridge(
                sink, mqtt, executable: file, spool: spool, opener: opener
            ) { [unowned self] in started.append($0) }
            var now = timespec()
            clock_gettime(CLOCK_BOOTTIME, &now)
            limit?.set(elapsed: Int64(now.tv_sec + 20) * 1_000_000_000)
            loop.run()
            withExtendedLifetime(bridge) {}
        }

        /// Kills and reaps the started processes. Call it when the bridge is released.
        func reap() {
            for process in started {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
            }
        }
    }

    /// A line of the script that sends a message.
    private static func say(_ number: Int, _ identifier: String) -> String {
        let payload =
            #"{"identifier": "\#(identifier)", "payload": {"aps": {"content-available": 1}}}"#
        let text = Data(payload.utf8).base64EncodedString()
        return #"echo '{"number": \#(number), "topic": "t", "payload": "\#(text)"}' >&3"#
    }

    @Test("a program that cannot be started is reported as the problem of the source")
    func unstartable() throws {
        let host = try SimulatedHost(refusing: [])
        try host.unstartable()
        let problem = try #require(host.states.last?.problem)
        #expect(problem.hasPrefix("it could not be started: "), "\(problem)")
    }

    @Test("a message that waits when the connection is lost is received again and delivered once")
    func lost() throws {
        let host = try SimulatedHost(refusing: [.unavailable])
        defer { host.reap() }
        try host.run(
            """
            #!/bin/sh
            if mkdir "$0.first"; then
                \(Self.say(1, "org.one"))
                exit
            fi
            \(Self.say(1, "org.one"))
            \(Self.say(2, "org.two"))
            cat <&3
            """, until: "org.two")
        #expect(host.taken == ["org.one", "org.two"])
        #expect(host.invalid == [])
    }

    /// A deferred message, as the spool stores it.
    private static func spooled(_ identifier: String) -> String {
        let payload =
            #"{"identifier": "\#(identifier)", "payload": {"aps": {"content-available": 1}}}"#
        return #"{"topic": "t", "payload": "\#(Data(payload.utf8).base64EncodedString())"}"#
    }

    /// A spool with these deferred messages.
    private static func spool(_ host: SimulatedHost, _ messages: [String: String]) throws -> String
    {
        let spool = host.path + "/spool"
        mkdir(spool, 0o700)
        for (name, identifier) in messages {
            try spooled(identifier).write(
                toFile: "\(spool)/\(name)", atomically: true, encoding: .utf8)
        }
        return spool
    }

    @Test(
        "a deferred message that cannot be read now is kept, delivered first, and reported",
        arguments: [EMFILE, ENFILE, ENOMEM])
    func unreadForNow(_ code: Int32) throws {
        let host = try SimulatedHost(refusing: [])
        defer { host.reap() }
        let spool = try Self.spool(host, ["1": "org.one", "2": "org.two"])
        var hasFailed = false
        try host.run("#!/bin/sh\ncat <&3\n", until: "org.two", spool: spool) {
            directory, name, flags in
            guard name == spool + "/1", !hasFailed else {
                return RegularFile.opener(directory, name, flags)
            }
            hasFailed = true
            errno = code
            return -1
        }
        #expect(host.taken == ["org.one", "org.two"])
        #expect(host.invalid == [])
        let reason = String(cString: strerror(code))
        #expect(
            host.states.map(\.problem).prefix(2)
                == ["a deferred message cannot be read: \(reason)", "not connected yet"])
    }

    @Test(
        "a deferred message that can never be read is set aside and reported",
        arguments: [EACCES, EIO])
    func unreadable(_ code: Int32) throws {
        let host = try SimulatedHost(refusing: [])
        defer { host.reap() }
        let spool = try Self.spool(host, ["1": "org.one", "5": "org.five"])
        // The link points to itself: no user can open it.
        #expect(symlink("2", spool + "/2") == 0)
        #expect(mkfifo(spool + "/3", 0o600) == 0)
        #expect(mkdir(spool + "/4", 0o700) == 0)
        try host.run("#!/bin/sh\ncat <&3\n", until: "org.five", spool: spool) {
            directory, name, flags in
            guard name == spool + "/1" else {
                return RegularFile.opener(directory, name, flags)
            }
            errno = code
            return -1
        }
        #expect(host.taken == ["org.five"])
        let regular = "it is not a regular file"
        let reasons = [code, ELOOP].map { String(cString: strerror($0)) } + [regular, regular]
        #expect(
            host.invalid
                == reasons.map {
                    PushRefusal.malformed(
                        "a deferred message cannot be read and is set aside: \($0)")
                })
        let names = try FileManager.default.contentsOfDirectory(atPath: spool).sorted()
        #expect(names == (1...4).map { "\($0).unreadable" })
    }

    @Test("messages that the spool refused are delivered when it is empty, also past a damaged one")
    func parked() throws {
        let host = try SimulatedHost(refusing: [.unavailable])
        defer { host.reap() }
        let spool = try Self.spool(host, ["1": "org.one"])
        try "{".write(toFile: spool + "/2", atomically: true, encoding: .utf8)
        // The directory prevents the draft of the next message.
        mkdir(spool + "/.3", 0o700)
        try host.run(
            """
            #!/bin/sh
            \(Self.say(1, "org.three"))
            cat <&3
            """, until: "org.three", spool: spool)
        #expect(host.taken == ["org.one", "org.three"])
        #expect(host.invalid.map(\.reason) == ["BadMessage"])
    }

    @Test("a missing or damaged deferred message is dropped, and the damage is reported")
    func damaged() throws {
        let host = try SimulatedHost(refusing: [])
        defer { host.reap() }
        let spool = host.path + "/spool"
        mkdir(spool, 0o700)
        #expect(symlink("missing", spool + "/1") == 0)
        try "{".write(toFile: spool + "/2", atomically: true, encoding: .utf8)
        try Self.spooled("org.three").write(
            toFile: spool + "/3", atomically: true, encoding: .utf8)
        try host.run("#!/bin/sh\ncat <&3\n", until: "org.three", spool: spool)
        #expect(host.taken == ["org.three"])
        #expect(host.invalid.map(\.reason) == ["BadMessage"])
    }
}
