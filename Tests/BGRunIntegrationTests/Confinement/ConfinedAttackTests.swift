// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The expected answers are in `Attack+*.swift`.
@Suite("An attack from a confined handler", .timeLimit(.minutes(15)))
struct ConfinedAttackTests {
    private static let layers: [Layer?] = [nil] + Layer.allCases

    @Test(
        "has the answer of its row, with all layers and without each",
        arguments: AttackUser.available, layers)
    func rows(_ user: AttackUser, without layer: Layer?) async throws {
        try await AttackScene.with(user) { scene in
            let machine = try await scene.machine()
            let answers = try await scene.perform(Attack.all, profile: "default", without: layer)
            var notRun: [String] = []
            for attack in Attack.all {
                let answer = answers[attack.name]
                switch attack.expectation(of: user, without: layer, on: machine) {
                case .notPromised: break
                case .notRun: notRun.append(attack.name)
                case .answers(let expected):
                    #expect(
                        answer.map(expected.contains) == true,
                        "\(attack.name): \(answer ?? "no answer"), expected \(expected.sorted())")
                }
            }
            if !notRun.isEmpty {
                print("attacks not run as \(user) on \(machine): \(notRun.joined(separator: ", "))")
            }
            if machine.missing(layer).count <= 1 {
                for victim in scene.victims.values {
                    #expect(Sandbox.state(of: victim.pid) == "S", "a victim has ended")
                }
            }
            await scene.endVictims()
            await scene.box.expectNothingLeft()
        }
    }

    @Test(
        "works without confinement if nothing else prevents it",
        arguments: AttackUser.available)
    func control(_ user: AttackUser) async throws {
        let attacks = Attack.all.filter { $0.control != nil }
        try await AttackScene.with(user) { scene in
            let answers = try await scene.perform(attacks, profile: "none")
            for attack in attacks {
                #expect(answers[attack.name] == attack.control, "\(attack.name)")
                guard attack.isFatal, let victim = scene.victims[attack.name] else { continue }
                #expect(await victim.end().code == 128 + SIGKILL, "\(attack.name)")
            }
            await scene.endVictims()
            await scene.box.expectNothingLeft()
        }
    }

    /// Rows 45 and 51.
    @Test(
        "leaves nothing that the next attempt finds", arguments: AttackUser.available,
        [("leave", "find_left"), ("leave_ipc", "find_left_ipc"), ("plant_library", "find_library")])
    func leaving(_ user: AttackUser, _ names: (leave: String, find: String)) async throws {
        try await AttackScene.with(user) { scene in
            guard try await scene.machine().hasNamespaces else {
                return print("attack \(names.leave) not run as \(user): no namespaces")
            }
            let tasks = [
                try scene.task(Attack(names.leave, nil)),
                try scene.task(Attack(names.find, nil), more: ", submit: manual"),
            ]
            try scene.write(profile: "default", tasks: tasks.joined(separator: "\n"))
            let host = try scene.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.\(names.leave)")
            let submit = try await scene.start("submit", "org.test.\(names.find)").end()
            #expect(submit.code == 0, "\(submit.error)")
            try await host.line("Task completed with identifier org.test.\(names.find)")
            await host.stop()
            let answers = try await scene.answers()
            #expect(answers[names.leave] == "done")
            #expect(answers[names.find] == "none")
            await scene.endVictims()
            await scene.box.expectNothingLeft()
        }
    }

    /// Row 41.
    @Test(
        "that ignores SIGTERM and stops itself is killed in time", arguments: AttackUser.available)
    func stopping(_ user: AttackUser) async throws {
        try await AttackScene.with(user) { scene in
            let task = try scene.task(
                Attack("stop_itself", nil), more: ", expiration: {after: 1s, grace: 1s}")
            try scene.write(profile: "default", tasks: task)
            let run = try await scene.start("run", "--once").end()
            #expect(run.code == 1, "\(run.error)")
            await scene.endVictims()
            await scene.box.expectNothingLeft()
            #expect(try await scene.history().map(\.outcome) == ["expired"])
        }
    }

    /// Row 55.
    @Test(
        "and its processes in sessions of their own end with their host",
        arguments: AttackUser.available)
    func death(_ user: AttackUser) async throws {
        try await AttackScene.with(user) { scene in
            try scene.write(profile: "default", tasks: scene.task(Attack("never_end", nil)))
            let host = try scene.start("run", "--once")
            try await host.line("the attack has begun")
            await host.stop(SIGKILL)
            await scene.endVictims()
            await scene.box.expectNothingLeft()
        }
    }

    #if arch(x86_64)
        @Test("has a row or a test of its own, and is in the plugin")
        func isComplete() throws {
            let directory = Built.package + "/Tests/Misbehaving/hostile"
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            var found: Set<String> = []
            for file in files where file.hasSuffix(".c") {
                let text = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
                found.formUnion(
                    text.matches(of: #/\{"([a-z0-9_]+)", \w+, IN_/#).map { String($0.1) })
                found.formUnion(
                    text.matches(of: #/ENTRY\(([a-z0-9_]+)\)[, ]/#).map { String($0.1) })
            }
            found.remove("name")
            let others = [
                "landlock_version", "namespaces", "leave", "find_left", "leave_ipc",
                "find_left_ipc", "plant_library", "find_library", "stop_itself", "never_end",
            ]
            #expect(Set(Attack.all.map(\.attack) + others) == found)
            #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
        }
    #endif
}
