// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop
@testable import BGRunSupervisor
@testable import BGRunSystem

@Suite("The process of a worker", .timeLimit(.minutes(5)))
struct WorkerLifeTests {
    let workers: ScriptedWorkers

    init() throws { workers = try ScriptedWorkers() }

    @Test("receives the app as of the last reload")
    func reloaded() throws {
        let loop = try EventLoop()
        let supervisor = workers.supervisor(loop)
        supervisor.change(SupervisorLimits(.server), app: ScriptedWorkers.app("second"))
        // Prints the received messages.
        let script = "exec dd bs=65536 count=1 <&3 2>/dev/null"
        let worker = try workers.prepare(supervisor, script)
        #expect(worker.waitForEnd(milliseconds: 30_000))
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(worker.output, &bytes, bytes.count)
        let said = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(said.contains("org.test.second") && !said.contains("org.test.first"))
    }

    @Test("has each variable once: that of its task in place of the inherited one")
    func environment() throws {
        // The name of the plugin is the argument of the program.
        let key = WorkerKey(plugin: "--", home: "/home/app", own: ["PATH": "/bin", "EDITOR": "vi"])
        #expect(key.environment["BGRUN_APP_HOME"] == "/home/app")
        let worker = try workers.start(key, executable: "/usr/bin/env")
        #expect(worker.waitForEnd(milliseconds: 30_000))
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(worker.output, &bytes, bytes.count)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.filter { $0.hasPrefix("PATH=") } == ["PATH=/bin"])
        #expect(lines.contains("BGRUN_APP_HOME_KEEP=EDITOR PATH"))
    }

    @Test("is killed if it closes its channel and does not end")
    func unended() throws {
        #expect(PluginProbe.death(of: try workers.start()) == "it died of signal 9")
    }

    @Test("receives the path of its plugin that is displayed to the user")
    func displayPath() throws {
        let loop = try EventLoop()
        let supervisor = workers.supervisor(loop)
        supervisor.image = { .success(PluginImage(displayPath: "/shown/photos.so", path: $0)) }
        let worker = try workers.prepare(supervisor, "exec dd bs=65536 count=1 <&3 2>/dev/null")
        #expect(worker.waitForEnd(milliseconds: 30_000))
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(worker.output, &bytes, bytes.count)
        let said = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(said.contains("/shown/photos.so"))
    }

    @Test("is started after the file that makes the next host search for remains")
    func workersFile() throws {
        let loop = try EventLoop()
        let store = workers.directory + "/store"
        let file = WorkersFile(store: store)
        let supervisor = Supervisor(
            loop, executable: ScriptedWorkers.shell, limits: SupervisorLimits(.server),
            app: ScriptedWorkers.app("first"), store: store)
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        #expect(!file.exists && !supervisor.hasWorkers)
        let worker = try workers.prepare(supervisor, "test -e \(store)-workers && echo found")
        #expect(worker.waitForEnd(milliseconds: 30_000))
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(worker.output, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "found\n")
        #expect(file.exists && supervisor.hasWorkers)
        file.remove()
        #expect(!file.exists)
    }

    @Test("is killed with all its descendants, in any session")
    func killed() throws {
        let loop = try EventLoop()
        let worker = try workers.prepare(
            workers.supervisor(loop), "setsid sh -c 'echo $$; exec sleep 10000' & wait")
        var state = pollfd(fd: worker.output, events: Int16(POLLIN), revents: 0)
        try #require(poll(&state, 1, 30_000) == 1)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(worker.output, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        let number = try #require(pid_t(text.filter(\.isNumber)))
        let child = try #require(ProcessHandle(number))
        worker.killEverything()
        #expect(worker.waitForEnd(milliseconds: 30_000))
        #expect(child.waitForEnd(milliseconds: 30_000))
    }

    @Test("has the limit of descriptors that its supervisor was given")
    func descriptors() throws {
        let worker = try workers.start { $0.descriptorLimit = 77 }
        let limits = ProcFile.text("/proc/\(worker.pid)/limits")
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        #expect(line?.split(separator: " ").dropFirst(3).first == "77")
    }

    @Test("leaves no descriptor open if it cannot be started")
    func notStarted() throws {
        func count() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let spawn = WorkerSpawn(executable: "/nonexistent", lineLimit: 100)
        let before = try count()
        for _ in 1...100 {
            #expect(throws: SystemFailure.self) {
                try spawn.start(WorkerKey(plugin: nil, environment: [:]), nil)
            }
        }
        // Each try would leave four. Other tests of this process close the descriptors they open.
        var open = try count()
        while open >= before + 200, !Task.isCancelled {
            sched_yield()
            open = try count()
        }
        #expect(open < before + 200)
    }

    @Test("handles SIGTERM even while it is stopped")
    func stopped() throws {
        let worker = try workers.start()
        worker.suspend()
        var status: Int32 = 0
        while waitpid(worker.pid, &status, WUNTRACED) == -1, errno == EINTR {}
        #expect(status & 0xff == 0x7f, "it is stopped")
        worker.signalEverything(SIGTERM)
        #expect(worker.waitForEnd(milliseconds: 10_000))
    }

    @Test("has ended after a probe")
    func probed() throws {
        let path = workers.directory + "/pid"
        // Writes an invalid message, and continues.
        let script = try workers.script(
            "echo $$ >\(path); echo a-long-line-that-is-not-a-frame >&4; exec sleep 10000")
        let probe = PluginProbe(executable: ScriptedWorkers.shell, home: "/nonexistent")
        let image = PluginImage(displayPath: script, path: script)
        let finding = try probe.load(image, timeout: 60_000) { _ in }
        #expect(finding.problem?.contains("wrote to bgrun's channel") == true)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        let isThere = kill(pid, 0) == 0
        #expect(!isThere)
        guard isThere else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    @Test("has texts of limited length in a probe")
    func probedTexts() throws {
        let long = String(repeating: "a", count: 1 << 20)
        let frames =
            WorkerMessage.log(attempt: 0, level: 1, text: long).frame
            + WorkerMessage.refused(long).frame
        let path = workers.directory + "/frames"
        try Data(frames).write(to: URL(fileURLWithPath: path))
        let script = try workers.script("cat \(path) >&4; exec sleep 10000")
        let probe = PluginProbe(executable: ScriptedWorkers.shell, home: "/nonexistent")
        let image = PluginImage(displayPath: script, path: script)
        var lines: [Int] = []
        let finding = try probe.load(image, timeout: 60_000) { lines.append($0.utf8.count) }
        #expect(lines == [4_096])
        #expect(finding.problem?.utf8.count == 4_096)
    }

    @Test("gets a lent descriptor once; the host keeps no copy of it")
    func lent() throws {
        var lent: [Int32] = [-1, -1]
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &lent) == 0)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(lent[0]) }
        var outlet = Outlet(ends[0])
        outlet.send([1], passing: [lent[1]])
        // The worker closes it.
        close(ends[1])
        close(lent[1])
        var polled = pollfd(fd: lent[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&polled, 1, 10_000) == 1 && polled.revents & Int16(POLLHUP) != 0)
        outlet.closePassing()
        close(ends[0])
    }

    @Test("is not kept if its plugin was written again within the same second")
    func sameSecond() throws {
        let path = try workers.script("one")
        func write(_ text: String, _ nanoseconds: Int) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
            let time = timespec(tv_sec: 1_700_000_000, tv_nsec: nanoseconds)
            #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        }
        try write("one", 1)
        let file = LoadedFile(path)
        #expect(file.isUnchanged)
        try write("two", 2)
        #expect(!file.isUnchanged)
    }
}
