// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import CBGRunPlugin
import Testing

@Suite("Registration", .timeLimit(.minutes(5)))
struct RegistrationTests {
    @Test("register returns true for an identifier that the manifest permits")
    func declared() {
        _ = FakeHost { scheduler in
            #expect(
                scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in } == true)
        }
    }

    @Test("register returns false for an undeclared identifier, and the log gives advice")
    func undeclared() {
        let host = FakeHost { scheduler in
            #expect(!scheduler.register(forTaskWithIdentifier: "Refresh", using: nil) { _ in })
        }
        #expect(host.log.contains { $0.contains("permitted_identifiers") })
        #expect(host.runtime.registeredIdentifiers.isEmpty)
        #expect(host.misuses.isEmpty)
    }

    @Test("the host receives each handler at the end of the launch, with its request")
    func told() {
        let host = FakeHost(["refresh": 1, "clean": 2, "index": 2, "export": 4]) { scheduler in
            for identifier in ["refresh", "clean", "index", "unknown"] {
                scheduler.register(forTaskWithIdentifier: identifier, using: nil) { _ in }
            }
            let clean = BGProcessingTaskRequest(identifier: "clean")
            clean.requiresExternalPower = true
            try? scheduler.submit(clean)
            try? scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        }
        #expect(
            host.registrations == [
                .init(identifier: "clean", kind: 2, delay: 0, requires: 1),
                .init(identifier: "index", kind: 0, delay: -1, requires: 0),
                .init(identifier: "refresh", kind: 1, delay: 0, requires: 0),
            ])
        host.scheduler.register(forTaskWithIdentifier: "export", using: nil) { _ in }
        #expect(host.registrations.last?.identifier == "export")
        #expect(host.registrations.last?.kind == 4)
    }

    @Test("the plugin receives its app")
    func app() {
        #expect(FakeHost().runtime.appIdentifier == "com.example.app")
        #expect(FakeHost(nil).runtime.appIdentifier == nil)
    }

    @Test("with a host that lacks the call, every identifier counts as declared")
    func olderHost() {
        _ = FakeHost(nil) { scheduler in
            #expect(scheduler.register(forTaskWithIdentifier: "any", using: nil) { _ in })
        }
    }

    @Test("registering an identifier twice is an error, and the first handler stays")
    func twice() async {
        let called = Notes<Int>()
        let host = FakeHost { scheduler in
            for number in 1...2 {
                scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                    called.add(number)
                    task.setTaskCompleted(success: true)
                }
            }
        }
        #expect(host.misuses.count == 1)
        #expect(host.misuses.first?.contains("already been registered") == true)
        await host.launch("refresh").returned()
        #expect(called.all == [1])
    }

    @Test("registering after the launch of the plugin is an error")
    func late() {
        let host = FakeHost()
        #expect(!host.scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in })
        #expect(
            host.misuses.first?.hasPrefix(
                "All launch handlers must be registered before application finishes launching")
                == true)
    }

    @Test("a continued task may be registered when a user requests it")
    func lateContinued() {
        let host = FakeHost(["export": BGRUN_KIND_CONTINUED])
        #expect(host.scheduler.register(forTaskWithIdentifier: "export", using: nil) { _ in })
        #expect(host.misuses.isEmpty)
    }

    @Test("a task without a handler fails, and the message names those that have one")
    func noHandler() async {
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
        }
        let completion = await host.launch("cleanup").completion
        #expect(completion?.success == false)
        #expect(
            completion?.message
                == "No launch handler registered for task with identifier cleanup; "
                + "the plugin registers: refresh")
    }

    @Test(
        "a handler of the identifier precedes patterns, and the longest pattern others",
        arguments: [
            ("app.export.one", "app.export.one"), ("app.export.two", "app.export.*"),
            ("app.other", "app.*"),
        ])
    func patterns(identifier: String, expected: String) async {
        let called = Notes<String>()
        let host = FakeHost(nil) { scheduler in
            for pattern in ["app.*", "app.export.*", "app.export.one"] {
                scheduler.register(forTaskWithIdentifier: pattern, using: nil) { task in
                    called.add(pattern)
                    task.setTaskCompleted(success: true)
                }
            }
        }
        await host.launch(identifier).returned()
        #expect(called.all == [expected])
    }
}
