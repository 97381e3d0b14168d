// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Foundation
import Testing

@testable import BGRunHost

@Suite("A host that gets another manifest", .timeLimit(.minutes(10)))
struct ReloadTests {
    private final class Silence: HostLog {
        func write(_ line: LogLine) {}
        func show(_ running: [RunningView]) {}
    }

    private func manifest(requiring requires: String) throws -> Manifest {
        let text = """
            bgrun: 1
            app: org.test.app
            modes: [processing]
            permitted_identifiers: [org.test.a]
            tasks:
              org.test.a:
                kind: processing
                requires: {\(requires)}
                call: {library: libc.so.6, function: sync}
            """
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: "/tmp"
        ).manifest
    }

    @Test("adopts it, also if readings of the device change at the same moment")
    func deviceNews() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let loop = try EventLoop()
        let observer = HostBench.Observer()
        var ports = Host.Ports(
            loop: loop, store: try Store.open(directory.path + "/bgrun.sqlite"),
            clock: SystemClock(), log: Silence(), workerExecutable: "/nonexistent",
            image: { _, _ in fatalError("no plugin is named") })
        ports.features = .all()
        ports.observer = observer
        let host = try Host(try manifest(requiring: "power: external"), ports, ending: .never)
        try host.start()
        var looks = 0
        observer.willDecideIsCalled = {
            looks += 1
            host.deviceReads(DeviceState(batteryPercent: 10 * looks))
        }
        try withExtendedLifetime(observer) {
            host.reload(try manifest(requiring: "power: external, network: any"))
        }
        #expect(looks == 1)
        #expect(!host.engine.isReloading)
        #expect(
            host.engine.pendingReason("org.test.a", at: host.now)
                == .conditions([.externalPower, .network]))
        // An equal manifest changes nothing.
        host.reload(try manifest(requiring: "power: external, network: any"))
        #expect(!host.engine.isReloading)
    }

    @Test("gives its pending requests a new numbering, which a reader of pages notices")
    func pages() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var numberings: [UInt32?] = []
        for _ in 0..<2 {
            for _ in 0..<2 {
                bench.host.serve(ControlRequest(.pending, limit: 1, from: 0)) {
                    numberings.append($0.numbering)
                }
            }
            bench.host.reload(
                try HostBench.manifest(
                    HostBench.task("org.test.b"), "policy: {profile: server}"))
        }
        #expect(numberings == [0, 0, 1, 1])
    }

    @Test("uses the old one until the attempts that it stops have ended")
    func stops() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        let changed = "submit: manual\n  parameters: {changed: true}"
        bench.host.reload(
            try HostBench.manifest(
                HostBench.task("org.test.a", changed) + HostBench.task("org.test.b"),
                "policy: {profile: server}"))
        let stops = bench.supervisor.calls.contains {
            if case .expire(1, .manifestChanged, _, _) = $0 { true } else { false }
        }
        #expect(stops && bench.host.engine.declaration(for: "org.test.b") == nil)
        bench.supervisor.end(1, .expired(.manifestChanged, reported: nil))
        #expect(bench.host.engine.declaration(for: "org.test.b") != nil)
    }

    @Test("keeps the old one if it is restored before the attempts that had to stop have ended")
    func restored() throws {
        let policy = "policy: {profile: server}"
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        let changed = HostBench.task("org.test.a", "submit: manual\n  parameters: {changed: true}")
        bench.host.reload(
            try HostBench.manifest(changed + HostBench.task("org.test.b"), policy))
        bench.host.reload(try HostBench.manifest(HostBench.task("org.test.a"), policy))
        bench.supervisor.end(1, .expired(.manifestChanged, reported: nil))
        bench.settle()
        #expect(bench.host.engine.declaration(for: "org.test.b") == nil)
        #expect(!bench.host.engine.isReloading)
    }

    @Test("refuses one of another app, which the overview reports until one is adopted")
    func otherApp() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var other = try HostBench.manifest(
            HostBench.task("org.test.b"), "policy: {profile: server}")
        other.app = "org.test.other"
        bench.host.reload(other)
        bench.settle()
        #expect(bench.host.manifest.app == "org.test.app")
        #expect(bench.host.engine.declaration(for: "org.test.b") == nil)
        #expect(bench.log.has("its app is org.test.other now, and this host runs org.test.app"))
        #expect(try bench.stored().events(limit: 9).map(\.line.kind).contains("manifest-refused"))
        #expect(bench.host.overview().notices.count == 1)
    }

    @Test(
        "adopts a valid one after an invalid one, and removes the notice from the overview",
        arguments: [false, true])
    func afterRefusal(isChanged: Bool) throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.host.refuseManifest("it cannot be read")
        #expect(bench.host.overview().notices.count == 1)
        let tasks = HostBench.task(isChanged ? "org.test.b" : "org.test.a")
        bench.host.reload(try HostBench.manifest(tasks, "policy: {profile: server}"))
        bench.settle()
        #expect(bench.host.overview().notices == [])
        #expect(bench.log.has("The manifest is valid again and unchanged") == !isChanged)
    }

    @Test("applies the stated readings of the device at once")
    func statedDevice() throws {
        let task = HostBench.task("org.test.a", "submit: manual\n  requires: {power: external}")
        let bench = try HostBench(task)
        bench.host.deviceReads(DeviceState(externalPower: .yes))
        try bench.host.start()
        bench.host.reload(
            try HostBench.manifest(task, "policy: {profile: server}\ndevice: {power: battery}"))
        bench.settle()
        bench.submit("org.test.a")
        #expect(bench.supervisor.launched == [])
        bench.host.reload(try HostBench.manifest(task, "policy: {profile: server}"))
        bench.settle()
        #expect(bench.supervisor.launched == [1])
    }
}
