// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Testing

@testable import BGRunManifest

@Suite("The reader of manifests", .timeLimit(.minutes(10)))
struct ReadingTests {
    private func read(_ name: String) throws -> Manifest {
        let example = try #require(Case.all("valid").first { $0.testDescription == name + ".yaml" })
        return try example.read().get().manifest
    }

    private func task(_ identifier: String, of manifest: Manifest) throws -> TaskDefinition {
        try #require(manifest.tasks.first { $0.declaration.identifier == identifier })
    }

    @Test("a key that a minimal manifest lacks has the documented default")
    func minimal() throws {
        let manifest = try read("minimal")
        let task = try task("com.example.app.clean", of: manifest)
        #expect(
            task.declaration
                == TaskDeclaration(identifier: "com.example.app.clean", kind: .processing))
        #expect(task.action == .handler(plugin: "exec", name: "run"))
        #expect(task.parameters == "{}")
        #expect(task.environment.isEmpty)
        #expect(task.mark == SourceMark(line: 7, column: 3))
        #expect(manifest.plugins.map(\.location) == [.shipped("hello-c")])
        #expect(manifest.device == DeviceState())
        #expect(manifest.policy == .apple)
    }

    @Test("every key of a task is read")
    func task() throws {
        let manifest = try read("all-keys")
        #expect(manifest.modes == Set(Mode.allCases))
        #expect(manifest.permittedIdentifiers.count == 10)
        #expect(
            manifest.account
                == ManifestAccount(user: "photos", group: "media", controlGroup: "50"))

        let refresh = try task("com.example.photos.refresh", of: manifest)
        #expect(
            refresh.declaration
                == TaskDeclaration(
                    identifier: "com.example.photos.refresh", kind: .appRefresh,
                    earliest: .minutes(15), timeLimit: .seconds(30), grace: .seconds(5),
                    overlap: .skip, annotations: Annotations(tags: ["nightly", "sync"])))

        #expect(refresh.description == "Fetches new photos: 100 at a time")

        let cleanup = try task("com.example.photos.cleanup", of: manifest)
        #expect(cleanup.description == nil)
        #expect(
            cleanup.declaration
                == TaskDeclaration(
                    identifier: "com.example.photos.cleanup", kind: .processing,
                    requires: [
                        .externalPower, .network, .unmeteredNetwork, .idle, .batteryNotLow,
                        .storageNotLow, .gpu, .memoryNotLow,
                    ],
                    schedule: .every(.hours(36), flex: .hours(1)),
                    retry: RetryRule(
                        backoff: .linear, from: .seconds(10), to: .hours(5), attempts: 4),
                    overlap: .expireOld, catchUp: .all, jitter: .minutes(5),
                    group: TaskDeclaration.Group(name: "more", limit: 1)))
        let environment = ["LANG": "C", "LEVEL": "3", "EMPTY": "", "GREETING": "Hello, $USER"]
        #expect(cleanup.environment == environment)

        let export = try task("com.example.photos.export.*", of: manifest)
        #expect(export.declaration.submission == .manual)
        #expect(export.declaration.retry == nil)
        #expect(export.declaration.overlap == .replace)
    }

    @Test("uses of the app are counted in the zone of the machine")
    func usageZone() throws {
        let tokyo = try ZoneRules.named("Asia/Tokyo")
        let reading = try ManifestReader.read(
            bytes: Array(Sample.text().utf8), path: "app.yaml", directory: "/nowhere",
            options: ManifestReader.Options(zone: tokyo))
        #expect(reading.manifest.engineConfiguration.usageZone == tokyo)
    }

    @Test("every key of a schedule is read")
    func schedule() throws {
        let manifest = try read("all-keys")
        let nightly = try task("com.example.photos.nightly", of: manifest).declaration
        let entry = try #require(nightly.schedule?.calendar?.entries.first)
        #expect(entry.zone == (try ZoneRules.named("Europe/Berlin")))
        #expect(entry.text == "30 2 * * mon-fri")
        #expect(nightly.startDeadline == .minutes(10))
        #expect(nightly.submission == .launch)

        let weekly = try task("com.example.photos.weekly", of: manifest).declaration
        let zones = weekly.schedule?.calendar?.entries.map(\.zone.name)
        #expect(zones == ["Asia/Tokyo", "Europe/Berlin"])

        let inbox = try task("com.example.photos.inbox", of: manifest)
        #expect(inbox.declaration.triggers == [.launch, .resume])
        #expect(inbox.watches?.hasSuffix("/files/inbox") ?? false)
        #expect(inbox.declaration.submission == .manual)

        #expect(inbox.listens == .unix(path: "/run/photos.sock", mode: 0o600))
        let share = try task("com.example.photos.share", of: manifest)
        #expect(share.listens == .unix(path: "/run/share.sock", mode: 0o660))
        let query = try task("com.example.photos.query", of: manifest)
        #expect(query.listens == .tcp(host: "::1", port: 9000))
    }

    @Test(
        "an address is numeric and has a port; a port alone means this machine only",
        arguments: [
            ("9000", "127.0.0.1:9000"), ("127.0.0.1:9000", "127.0.0.1:9000"),
            ("0.0.0.0:80", "0.0.0.0:80"), ("\"[::1]:65535\"", "[::1]:65535"),
            ("\"[0:0::0]:80\"", "[::]:80"), ("0", nil), ("65536", nil), ("localhost:80", nil),
            ("127.0.0.1", nil), ("\"::1:80\"", nil), ("\"[127.0.0.1]:80\"", nil), (":80", nil),
            ("127.0.0.1:+80", nil), ("127.0.0.1:", nil), ("127.0.0.256:80", nil),
        ] as [(String, String?)])
    func address(text: String, place: String?) throws {
        let manifest = Sample.text().replacing(
            "handler: exec.run", with: "handler: exec.run\n    on: {socket: {tcp: \(text)}}")
        let outcome = try? Sample.read(manifest).manifest.tasks.first?.listens?.place
        #expect(outcome == place)
    }

    @Test("every key of a transfer is read, and the task that it launches waits for it")
    func transfers() throws {
        let manifest = try read("all-keys")
        let catalog = try #require(manifest.transfers.first)
        let directory = manifest.directory
        let request = TransferRequest(
            session: "com.example.photos.catalog", direction: .download,
            url: "https://example.com/catalog.db", file: directory + "/data/catalog.db")
        var expected = TransferDefinition(template: request, mark: catalog.mark)
        expected.sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        expected.isDiscretionary = true
        expected.allowsMetered = false
        expected.every = .days(1)
        expected.then = "com.example.photos.import"
        expected.onFailure = "com.example.photos.export.failed"
        expected.rate = 2_000_000
        expected.connections = 4
        expected.requestTimeout = .seconds(30)
        expected.resourceTimeout = .days(6)
        expected.headers = [
            .init("Accept", "application/json"), .init("X-Level", "3"),
        ]
        expected.credentials = directory + "/../files/secret"
        expected.certificate = directory + "/../files/libphotos.so"
        expected.key = directory + "/../files/secret"
        expected.authorities = directory + "/../files/libphotos.so"
        expected.proxy = "http://proxy:3128"
        expected.earliest = .minutes(10)
        expected.retry = .init(from: .seconds(20), to: .hours(4), attempts: 20)
        #expect(catalog == expected)

        let log = try #require(manifest.transfers.last)
        #expect(log.direction == .upload)
        #expect(log.url == "http://localhost:8080/log")
        #expect(log.file == directory + "/photos.log")
        #expect(log.method == "POST")
        #expect(log.retry == .init(attempts: 1))

        let follower = try task("com.example.photos.import", of: manifest)
        #expect(follower.declaration.submission == .manual)
    }

    @Test("every key of a push source is read")
    func push() throws {
        let push = try #require(try read("all-keys").push)
        let token = try #require(push.webhook?.token)
        #expect(token.hasSuffix("/files/token"))
        let files = String(token.dropLast("token".count))
        #expect(push.inbox?.path.hasSuffix("/valid/inbox") == true)
        #expect(push.inbox?.task == nil)
        let task = "com.example.photos.message"
        #expect(push.socket == PushSources.Place(path: "/run/photos-push.sock", task: task))
        #expect(push.webhook == PushSources.Webhook(host: "::1", port: 8765, token: token))
        #expect(
            push.mqtt
                == PushSources.MQTT(
                    host: "broker.example.com", port: 8883, isTLS: true,
                    topics: ["photos/+/changed", "photos/#"], task: task,
                    credentials: files + "secret", ca: files + "libphotos.so",
                    clientID: "photos-1"))
    }

    @Test(
        "a broker has a scheme, a host and optionally a port, and no secret",
        arguments: [
            ("mqtt://localhost", "mqtt://localhost:1883"),
            ("mqtts://broker.example.com:443/", "mqtts://broker.example.com:443"),
            ("mqtt://[::1]", "mqtt://[::1]:1883"), ("mqtt://[::1]:99", "mqtt://[::1]:99"),
            ("localhost", nil), ("http://localhost", nil), ("mqtt://", nil), ("mqtt://a:0", nil),
            ("mqtt://a:b", nil), ("mqtt://a:1:2", nil), ("mqtt://u@a", nil), ("mqtt://a/b", nil),
        ] as [(String, String?)])
    func broker(text: String, broker: String?) throws {
        let push = "\npush: {mqtt: {broker: \"\(text)\", topics: [a]}}\n"
        let manifest = Sample.text(rest: push)
            .replacing("kind: processing", with: "kind: push")
            .replacing("modes: [processing]", with: "modes: [remote-notification]")
        let outcome = try? Sample.read(manifest).manifest.push?.mqtt?.broker
        #expect(outcome == broker)
    }

    @Test("every key of a hook is read, and the short form is a line of the shell")
    func hooks() throws {
        let hooks = try read("all-keys").hooks
        #expect(
            hooks.first
                == HookDefinition(
                    triggers: Set(HookTrigger.allCases),
                    tasks: ["com.example.photos.refresh", "com.example.photos.export.*"],
                    action: .run(
                        parameters: #"{"command":"logger failed","directory":"..","#
                            + #""environment":{"LEVEL":"3"}}"#),
                    after: 3, every: .hours(1), waiting: .days(2), timeout: .minutes(1)))
        guard case .post(let address, let headers, let authorities) = hooks[1].action else {
            Issue.record("no post")
            return
        }
        #expect(address == "https://hooks.example.com/x")
        #expect(headers?.hasSuffix("/Cases/valid/../files/libphotos.so") == true)
        #expect(authorities?.hasSuffix("/Cases/valid/../files/libphotos.so") == true)
        #expect(hooks[1].timeout == .seconds(30))
        #expect(
            hooks[2...].map(\.action) == [
                .run(parameters: #"{"argv":["/usr/bin/logger","failed","3"]}"#),
                .run(parameters: #"{"command":"logger failed"}"#),
            ])
    }

    @Test("a hook is identified by its action, not by how often it may run")
    func keyOfHook() {
        let hook = HookDefinition(
            triggers: [.failed, .expired], action: .run(parameters: #"{"command":"a"}"#))
        var other = hook
        other.every = .hours(1)
        other.after = 2
        other.timeout = .minutes(1)
        #expect(other.key == hook.key)
        #expect(hook.key == "t4s9io6cfbch", "the store holds it: it never changes")
        other.triggers = [.failed]
        #expect(other.key != hook.key)
    }

    @Test(
        "a handler is named after the first dot; the plugin's name alone means its default",
        arguments: [("exec.run", "run"), ("exec.a.b", "a.b"), ("exec", "default")])
    func handler(text: String, name: String) throws {
        let manifest = Sample.text().replacing("handler: exec.run", with: "handler: \(text)")
        let task = try Sample.read(manifest).manifest.tasks.first
        #expect(task?.action == .handler(plugin: "exec", name: name))
    }

    @Test("parameters become JSON with the keys in the order of the file")
    func parameters() throws {
        let cleanup = try task("com.example.photos.cleanup", of: read("all-keys"))
        #expect(
            cleanup.parameters
                == #"{"database":"library.sqlite","keep":"90d","ratio":0.5,"#
                + #""list":[1,16,true,null,"x"]}"#)
    }

    @Test("scalars are those of YAML 1.2, not 1.1, and numbers keep their digits")
    func core() throws {
        let task = try task("com.example.app.clean", of: read("no-booleans-of-yaml-1-1"))
        #expect(
            task.parameters
                == #"{"country":"no","time":"12:30","switch":"on","octal":10,"#
                + #""exact":12345678901234567890123}"#)
    }

    @Test(
        "numbers that JSON writes differently are rewritten",
        arguments: [
            ("+5", "5"), ("-007", "-7"), (".5", "0.5"), ("1.", "1.0"), ("1e3", "1e3"),
            ("-.5E-2", "-0.5E-2"), ("0o17", "15"), ("0xfF", "255"), ("1.2.3", #""1.2.3""#),
            ("0x", #""0x""#), ("1e", #""1e""#), ("-", #""-""#), ("~", "null"), ("True", "true"),
            (#""\x01\"""#, #""\u0001\"""#),
        ])
    func numbers(yaml: String, json: String) throws {
        let manifest = try Sample.read(task: "parameters: {a: \(yaml)}")
        #expect(manifest.tasks.first?.parameters == #"{"a":\#(json)}"#)
    }

    @Test("plugins, device and policy are read")
    func pluginsDeviceAndPolicy() throws {
        let manifest = try read("all-keys")
        let library = manifest.directory + "/../files/libphotos.so"
        #expect(
            manifest.plugins.map(\.location) == [
                .path(library), .path(library), .shipped("hello-c"),
            ])
        #expect(manifest.plugins.map { $0.sha256?.count } == [64, nil, nil])
        #expect(
            manifest.device
                == DeviceState(
                    externalPower: .no, batteryPercent: 80, lowPowerMode: .no, network: .yes,
                    networkMetered: .yes, userIdle: .yes, storageLow: .no, thermal: .fair,
                    pressure: .no, gpu: .no, memoryLow: .no))
        #expect(manifest.policy.profile == .server)
        #expect(
            PolicySetting.all.map { $0.text(in: manifest.policy) } == [
                "2", "20", "3", "6", "7", "4", "11", "12", "13", "14", "15", "45s", "2h", "20s",
                "3h", "21s", "16s", "31s", "22s", "17m", "34m", "35s", "true", "18m", "9", "33",
                "19m",
                "23h", "24m", "1d1h",
                "3d", "12m", "15d", "32m", "1d9h", "8", "101", "3s", "1m", "500ms", "15%", "4%",
                "30s",
                "2s", "1m", "0s", "5m", "3s", "2", "30s", "100ms", "10s", "20s", "5", "7s",
                "200", "2KiB", "50", "7d",
                "1MiB", "50", "3", "100MiB", "7d", "64GiB", "20",
            ])
    }

    @Test("each number of the policy can be written as it is printed")
    func policyRoundTrip() throws {
        for profile in Policy.Profile.allCases {
            let policy = Policy.profile(profile)
            let lines = PolicySetting.all.map { "  \($0.name): \($0.text(in: policy))\n" }
            let manifest = try Sample.read(
                rest: "policy:\n  profile: \(profile.rawValue)\n" + lines.joined())
            #expect(manifest.policy == policy)
        }
    }

    @Test("a merged mapping adds the keys that are missing")
    func merge() throws {
        let manifest = try read("anchors")
        #expect(
            manifest.tasks.map(\.declaration.schedule) == [.every(.hours(1)), .every(.hours(2))])
        #expect(manifest.tasks.map(\.declaration.kind) == [.processing, .processing])
    }

    @Test("a foreign program is read with its types, names and absolute paths")
    func foreign() throws {
        let manifest = try read("foreign")
        guard case .foreign(let program)? = manifest.tasks.first?.action else {
            Issue.record("no foreign program")
            return
        }
        #expect(program.problems().isEmpty)
        let calls = program.calls
        #expect(
            calls[0]
                == ForeignCall(
                    library: "libz.so.1", function: "compress2",
                    arguments: [
                        ForeignArgument(
                            name: "out",
                            value: .outputBuffer(
                                capacity: 1 << 20,
                                save: ForeignSave(
                                    path: manifest.directory + "/out.z", length: "n"))),
                        ForeignArgument(name: "n", value: .pointerTo(.integer(.u64, 1_048_576))),
                        ForeignArgument(
                            name: "in", value: .inputFile(manifest.directory + "/in.txt")),
                        ForeignArgument(value: .lengthOf("in", .u64)),
                        ForeignArgument(value: .integer(.i32, 9)),
                    ],
                    returns: .i32, success: .zero))
        #expect(
            calls[1].arguments.map(\.value) == [
                .pointerTo(.integer(.pointer, 0)), .string("select 1"),
                .callback(
                    ForeignCallback(
                        parameters: [.pointer, .i32, .strings(count: 1), .strings(count: nil)],
                        returns: .i32, value: 0, valueWhenExpired: 1, log: true)),
                .null, .pointerTo(.integer(.string, 0)),
            ])
        #expect(calls[2].fixedArguments == 2)
        #expect(calls[3].returns == .structure([.i32, .i32]))
        #expect(calls[4].arguments == [ForeignArgument(value: .field("quotient", [1]))])
        #expect(
            calls[6].arguments.map(\.value) == [
                .inputBytes(Array("abc".utf8)), .inputBytes(Array("abc".utf8)), .integer(.u64, -1),
            ])
        #expect(calls[6].always)
        #expect(
            calls.map(\.success) == [
                .zero, .equals(0), .atLeast(0), nil, .notEquals(-1), nil, .lessThan(1), .errno,
                .nonZero, .errno, nil, nil,
            ])
        #expect(
            calls[10].arguments.map(\.value) == [
                .addressOf("whole"), .addressOf("fraction"), .integer(.u64, 8),
            ])
        #expect(
            calls[11].arguments.map(\.value) == [
                .structure([.addressOf("whole"), .integer(.i32, 1)]),
                .pointerTo(.addressOf("fraction")),
            ])
    }
}
