// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Foundation
import Glibc
import Testing

/// An app whose handlers attack, and what they attack: files, sockets and processes of its user.
///
/// Its files are beside the build and not in `/tmp`, which every handler may write.
final class AttackScene {
    let user: AttackUser
    let box: Sandbox
    let root: String
    /// A directory in the user's home directory.
    private let home: String
    /// A directory of other programs in `/tmp`.
    private let temporary: String
    private let targets: AttackTargets
    private let name: String
    /// Those that attacks may kill, by the name of the attack, and the one of all others.
    private(set) var victims: [String: Running] = [:]

    var manifest: String { root + "/work/app.yaml" }
    private var plugin: String { root + "/work/hostile.so" }
    private var appState: String { root + "/state/org.test.app" }

    static func with(
        _ user: AttackUser, _ body: (AttackScene) async throws -> Void
    ) async throws {
        try await Sandbox.with { box in
            let scene = try AttackScene(user, box)
            defer { scene.remove() }
            try await body(scene)
        }
    }

    private init(_ user: AttackUser, _ box: Sandbox) throws {
        self.user = user
        self.box = box
        root = try Self.directory(Built.package + "/.build/attacks", user)
        home = try Self.directory(Self.home(of: user) + "/.bgrun-attacks", user)
        temporary = try Self.directory("/tmp/bgrun-attacks", user)
        name = String(root.suffix(6))
        targets = try AttackTargets(
            socket: temporary + "/agent.sock", abstract: "bgrun-attacks-\(name)")
        for directory in ["work", "state", "decoy"] {
            try Self.make(root + "/" + directory, user)
        }
        let built = try Built.hostileAttacks()
        for file in [plugin, root + "/decoy/hostile.so"] {
            try FileManager.default.copyItem(atPath: built, toPath: file)
            try Self.give(file, user, mode: 0o755)
        }
        let files = [
            root + "/decoy/bgrun.sqlite", root + "/decoy/app.yaml", root + "/elsewhere",
            home + "/private", sharedMemory,
        ]
        for file in files {
            try "not for handlers".write(toFile: file, atomically: false, encoding: .utf8)
            try Self.give(file, user, mode: 0o600)
        }
    }

    private var sharedMemory: String { "/dev/shm/bgrun-attacks-\(name)" }

    private func remove() {
        for path in [root, home, temporary, sharedMemory] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: files

    private static func home(of user: AttackUser) -> String {
        // Users that run only services have no home directory.
        if geteuid() == 0, user == .ordinary { return "/home" }
        return getpwuid(user.id).map { String(cString: $0.pointee.pw_dir) } ?? "/"
    }

    /// A new directory whose name begins with `path`.
    private static func directory(_ path: String, _ user: AttackUser) throws -> String {
        var template = Array((path + "-XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template), "\(path): errno \(errno)")
        let directory = String(cString: made)
        try give(directory, user, mode: 0o755)
        return directory
    }

    private static func make(_ path: String, _ user: AttackUser) throws {
        try #require(mkdir(path, 0o700) == 0, "\(path): errno \(errno)")
        try give(path, user, mode: 0o700)
    }

    private static func give(_ path: String, _ user: AttackUser, mode: mode_t) throws {
        try #require(chmod(path, mode) == 0, "\(path): errno \(errno)")
        guard geteuid() == 0 else { return }
        try #require(chown(path, user.id, user.id) == 0, "\(path): errno \(errno)")
    }

    /// Writes the manifest.
    /// - Parameters:
    ///   - confine: The profile.
    ///   - tasks: Further lines.
    func write(profile: String, tasks: String) throws {
        // Tests find processes by their mark. The manifest's directory is writable: its guards matter.
        let confine =
            profile == "none"
            ? "none" : "{profile: \(profile), write: [.], environment: {keep: [BGRUN_TEST_MARK]}}"
        try """
        bgrun: 1
        app: org.test.app
        modes: [processing]
        permitted_identifiers: [org.test.*]
        device: {power: battery}
        plugins: {hostile: \(plugin)}
        policy: {profile: server, concurrent_attempts: 1, termination_wait: 1s}
        confine: \(confine)
        tasks:
          org.test.unconfined: {kind: processing, handler: hostile.attack, submit: manual, \
        confine: none, parameters: {attack: directories}}
        \(tasks)
        """.write(toFile: manifest, atomically: false, encoding: .utf8)
        try Self.give(manifest, user, mode: 0o644)
    }

    /// The lines of the task that performs an attack.
    /// - Parameters:
    ///   - isConfined: Without confinement the attack gets decoys for the files of the host.
    ///   - more: Further keys of the task, each after a comma.
    func task(_ attack: Attack, isConfined: Bool = true, more: String = "") throws -> String {
        let decoy = root + "/decoy"
        var parameters: [String: Any] = [
            "attack": attack.attack,
            "store": (isConfined ? appState : decoy) + "/bgrun.sqlite",
            "state": isConfined ? appState : decoy,
            "manifest": isConfined ? manifest : decoy + "/app.yaml",
            "plugin": isConfined ? plugin : decoy + "/hostile.so",
            "control": appState + "/control.sock",
            "file": attack.isElsewhere ? root + "/elsewhere" : home + "/private",
            "path": targets.socket, "abstract": targets.abstract, "port": targets.port,
            "shm": "bgrun-attacks-\(name)", "victim": try victim(of: attack),
        ]
        if let most = attack.most { parameters["most"] = most }
        let json = try JSONSerialization.data(
            withJSONObject: parameters, options: [.sortedKeys, .withoutEscapingSlashes])
        let confine = attack.confine.isEmpty ? "" : ", confine: {\(attack.confine)}"
        return """
              org.test.\(attack.name): {kind: processing, handler: hostile.attack, \
            parameters: \(String(decoding: json, as: UTF8.self))\(confine)\(more)}
            """
    }

    // MARK: processes

    private func victim(of attack: Attack) throws -> Int {
        let key = attack.isFatal ? attack.name : ""
        let victim = try victims[key] ?? start("/usr/bin/sleep", ["3600"])
        victims[key] = victim
        return Int(victim.pid)
    }

    func endVictims() async {
        for victim in victims.values { await victim.stop(SIGKILL) }
    }

    /// Starts a program as the user.
    private func start(
        _ program: String, _ arguments: [String], _ variables: [String: String] = [:]
    ) throws -> Running {
        geteuid() == user.id
            ? try box.startProgram(program, arguments, variables)
            : try box.start(program, as: user.id, arguments, variables)
    }

    /// Starts `bgrun` for this app, with variables that a handler must not get.
    func start(
        _ command: String, _ arguments: String..., without layer: Layer? = nil
    ) throws -> Running {
        try start(
            Built.bgrun,
            [command, "--manifest", manifest, "--state", root + "/state"] + arguments,
            [
                "HOME": home, "BGRUN_HOSTILE_SECRET": "secret", "SSH_AUTH_SOCK": targets.socket,
                "BGRUN_CONFINE_WITHOUT": layer?.rawValue ?? "",
            ])
    }

    /// The attempts of all tasks that have ended.
    func history() async throws -> [Sandbox.Attempt] {
        let finished = try await start("history", "--json", "--limit", "1000").end()
        try #require(finished.code == 0, "\(finished.error)")
        return try Sandbox.attempts(finished.output)
    }

    /// The answers of the ended attacks, by the name of their task; those without an answer are missing.
    func answers() async throws -> [String: String] {
        let attempts = try await history().filter { $0.outcome == "completed" }
        return Dictionary(
            attempts.map { (String($0.identifier.dropFirst("org.test.".count)), $0.message ?? "") }
        ) { $1 }
    }

    /// Performs all attacks, one after the other, and returns their answers.
    func perform(
        _ attacks: [Attack], profile: String, without layer: Layer? = nil
    ) async throws -> [String: String] {
        let isConfined = profile != "none"
        try write(
            profile: profile,
            tasks: attacks.map { try task($0, isConfined: isConfined) }.joined(separator: "\n"))
        let run = try await start("run", "--once", without: layer).end()
        #expect(run.code == 0, "\(run.error.suffix(4_000))")
        return try await answers()
    }

    /// What this machine has, as attacks without confinement see it.
    func machine() async throws -> AttackedMachine {
        let probes = [Attack("landlock_version", nil), Attack("namespaces", nil)]
        let answers = try await perform(probes, profile: "none")
        return AttackedMachine(
            landlock: try #require(answers["landlock_version"].flatMap { Int($0) }),
            hasNamespaces: answers["namespaces"] == "done")
    }
}
