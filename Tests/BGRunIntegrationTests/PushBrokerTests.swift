// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// With a real mosquitto broker.
@Suite("Pushes from an MQTT broker", .timeLimit(.minutes(5)))
struct PushBrokerTests {
    /// A broker in the sandbox. Each `start` starts another process.
    private struct Broker {
        let box: Sandbox
        let port = FreePort.next()
        var settings = "allow_anonymous true"

        var configuration: String { box.directory + "/mosquitto.conf" }

        func start() async throws -> Running {
            // By default it gives up root's rights, and then cannot access the sandbox.
            try """
            listener \(port) 127.0.0.1
            \(settings)
            persistence true
            persistence_location \(box.directory)/
            autosave_interval 1
            autosave_on_changes true
            max_queued_messages 0
            user root
            log_dest stderr
            log_type all

            """.write(toFile: configuration, atomically: true, encoding: .utf8)
            let broker = try box.startProgram("/usr/sbin/mosquitto", ["-c", configuration])
            try await broker.line(" running")
            return broker
        }

        func publish(_ text: String, topic: String = "photos/7/changed", _ more: String...)
            async throws
        {
            let client = try box.startProgram(
                "/usr/bin/mosquitto_pub",
                ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic, "-m", text] + more)
            let end = await client.end()
            try #require(end.code == 0, "\(end.error)")
        }

        func publish(album: Int, _ more: String...) async throws {
            try await publish(
                "{\"album\": \(album), \"aps\": {\"content-available\": 1}}",
                topic: "photos/\(album)/changed", more.first ?? "-d")
        }
    }

    private static func with(
        _ more: String = "", settings: String = "allow_anonymous true",
        scheme: String = "mqtt", policy: String = "{profile: server}",
        task: String = PushTests.task,
        _ body: (Sandbox, Broker) async throws -> Void
    ) async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            var broker = Broker(box: box)
            broker.settings = settings
            try box.write(
                plugins: ["probe": probe],
                rest: """
                    policy: \(policy)
                    push:
                      mqtt:
                        broker: \(scheme)://127.0.0.1:\(broker.port)
                        topics: [photos/+/changed]
                        task: org.test.changed
                    \(more.split(separator: "\n").map { "    \($0)\n" }.joined())
                    """, tasks: task)
            try await body(box, broker)
        }
    }

    @Test("messages of a topic are delivered, also those from while no host ran")
    func delivered() async throws {
        try await Self.with { box, broker in
            let running = try await broker.start()
            let host = try await box.host(until: "Pushes come from the mqtt")
            try await broker.publish(album: 1)
            try await host.line("message {\"album\":1")
            try await host.line("Task completed")
            #expect(await host.stop().code == 0)
            await box.expectEnded("bgrun-mqtt")
            try await broker.publish(album: 2)
            let next = try await box.host(until: "message {\"album\":2")
            try await broker.publish(
                "{\"identifier\": \"org.test.changed\", \"collapse_id\": \"x\", \"payload\": "
                    + "{\"album\": 3, \"aps\": {\"content-available\": 1}}}")
            try await next.line("message {\"album\":3")
            await next.stop()
            await running.stop()
        }
    }

    @Test("a message of a topic that the manifest no longer has is not delivered")
    func droppedTopic() async throws {
        try await Self.with { box, broker in
            let running = try await broker.start()
            let host = try await box.host(until: "Pushes come from the mqtt")
            #expect(await host.stop().code == 0)
            await box.expectEnded("bgrun-mqtt")
            try box.changeManifest("photos/+/changed", to: "photos/9/changed")
            // The broker keeps both for the session, which is still subscribed to the old topic.
            try await broker.publish(album: 8)
            try await broker.publish(album: 9)
            let next = try await box.host(until: "message {\"album\":9")
            #expect(!next.errorLines.contains { $0.contains("\"album\":8,") })
            await next.stop()
            await running.stop()
        }
    }

    @Test("an invalid push is refused once and not delivered again; a retained message is ignored")
    func refused() async throws {
        try await Self.with { box, broker in
            let running = try await broker.start()
            try await broker.publish(album: 1, "-r")
            let host = try await box.host(until: "Pushes come from the mqtt")
            try await broker.publish("no push")
            try await host.line("BadMessage")
            try await broker.publish(String(repeating: "x", count: 50_000))
            try await host.line("the payload has 50000 bytes")
            try await broker.publish(album: 4)
            try await host.line("message {\"album\":4")
            #expect(!host.errorLines.contains { $0.contains("\"album\":1,") })
            await host.stop()
            let next = try await box.host(until: "Pushes come from the mqtt")
            try await broker.publish(album: 5)
            try await next.line("message {\"album\":5")
            #expect(!next.errorLines.contains { $0.contains("Refused") })
            await next.stop()
            await running.stop()
        }
    }

    @Test("a host reconnects to a broker that restarts, and its kept messages are delivered")
    func restarted() async throws {
        try await Self.with { box, broker in
            let host = try await box.host("--stay", until: "No push comes from the mqtt")
            let explain = try await box.run("explain", "org.test.changed").output
            #expect(explain.contains("has not worked since"), "\(explain)")
            let first = try await broker.start()
            try await host.line("Pushes come from the mqtt")
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("the source of pushes mqtt"), "\(doctor)")
            await first.stop()
            let lines = host.errorLines.count
            try await host.line("No push comes from the mqtt", after: 3)
            let second = try await broker.start()
            try await broker.publish(album: 6)
            try await host.line("message {\"album\":6", after: lines)
            await host.stop()
            await second.stop()
        }
    }

    @Test(
        "a kill of the host or of bgrun-mqtt loses no message",
        arguments: ["host", "bgrun-mqtt"])
    func killed(victim: String) async throws {
        try await Self.with { box, broker in
            let running = try await broker.start()
            let host = try await box.host("--stay", until: "Pushes come from the mqtt")
            // The host stands between the broker and the store: it stores nothing while it is stopped.
            host.signal(SIGSTOP)
            for album in 1...3 { try await broker.publish(album: album) }
            // bgrun-mqtt has all three messages, unacknowledged.
            try await running.line("Sending PUBLISH to bgrun-org.test.app (d0, q1, r0, m3")
            if victim == "host" {
                await host.stop(SIGKILL)
            } else {
                let bridge = box.processes.first { $0.command.contains("bgrun-mqtt") }
                kill(try #require(bridge).pid, SIGKILL)
                host.signal(SIGCONT)
            }
            let next = victim == "host" ? try box.start("run", "--stay") : host
            try await next.line("message {\"album\":3")
            // The broker sends them again, since they were not acknowledged.
            try await running.line("PUBLISH to bgrun-org.test.app (d1,")
            let lines = running.errorLines
            let again = lines.firstIndex { $0.contains("PUBLISH to bgrun-org.test.app (d1,") }
            let first = lines.firstIndex { $0.contains("Received PUBACK from bgrun-org.test.app") }
            #expect(try #require(again) < first ?? .max)
            await next.stop()
            await running.stop()
        }
    }

    @Test(
        "a message that is refused for now is acknowledged once it is on the disk, and delivered later"
    )
    func spooled() async throws {
        try await Self.with(task: PushTests.task + "\n  overlap: skip") { box, broker in
            let gate = try box.gate("gate")
            let running = try await broker.start()
            let host = try await box.host("--stay", until: "Pushes come from the mqtt")
            try await broker.publish(
                #"{"album": 1, "gate": true, "aps": {"content-available": 1}}"#)
            try await host.line("attempt with")
            for album in 2...4 { try await broker.publish(album: album) }
            try await running.line("Received PUBACK from bgrun-org.test.app (Mid: 4")
            let place = box.state + "/org.test.app/mqtt"
            func waiting() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: place).sorted()
            }
            #expect(try waiting() == ["1", "2", "3"])
            await host.stop(SIGKILL)
            let sent = running.errorLines.count
            gate.open()
            let next = try box.start("run", "--stay")
            for album in 2...4 { try await next.line("message {\"album\":\(album)") }
            while try !waiting().isEmpty { try await box.run("pending") }
            let again = running.errorLines.dropFirst(sent)
            #expect(!again.contains { $0.contains("Sending PUBLISH to bgrun-org.test.app") })
            await next.stop()
            await running.stop()
        }
    }

    @Test("the broker's certificate is verified, and a password comes from a private file")
    func secure() async throws {
        try await Self.with("credentials: ./password\nca: ./ca.pem", scheme: "mqtts") {
            box, broker in
            let directory = box.directory
            let made = try box.startShell(
                """
                cd \(directory) && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem \
                -out ca.pem -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null &&
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout other-key.pem \
                -out other.pem -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null &&
                printf %s photos:secret > password && chmod 600 password &&
                mosquitto_passwd -b -c users photos secret && chmod 600 users
                """)
            #expect(await made.end().code == 0)
            var secured = broker
            secured.settings = """
                allow_anonymous false
                password_file \(directory)/users
                certfile \(directory)/ca.pem
                keyfile \(directory)/key.pem
                """
            let running = try await secured.start()
            let host = try await box.host("--stay", until: "Pushes come from the mqtt")

            // A certificate of another authority is not trusted.
            let manifest = try box.changeManifest("ca.pem", to: "other.pem")
            try await host.line("No push comes from the mqtt")
            try "photos:wrong".write(
                toFile: directory + "/password", atomically: false, encoding: .utf8)
            try manifest.write(toFile: box.manifest, atomically: true, encoding: .utf8)
            try await host.line("not authorised")
            await host.stop()
            await running.stop()
        }
    }

    @Test("a password that others may read is not used")
    func publicPassword() async throws {
        try await Self.with("credentials: ./password") { box, _ in
            let file = box.directory + "/password"
            try "photos:secret".write(toFile: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let host = try box.start("run", "--stay")
            let line = try await host.line("No push comes from the mqtt")
            #expect(line.contains("others may use"), "\(line)")
            await host.stop()
        }
    }
}

extension Sandbox {
    /// Waits until the sandbox has no process with that name.
    fileprivate func expectEnded(_ name: String) async {
        let isOver = await eventually { !processes.contains { $0.command.contains(name) } }
        #expect(isOver, "still alive: \(processes)")
    }
}
