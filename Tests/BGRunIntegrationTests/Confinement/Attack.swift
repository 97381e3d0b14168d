// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A layer of confinement, with its name in BGRUN_CONFINE_WITHOUT.
enum Layer: String, CaseIterable {
    case namespaces, landlock, seccomp, limits
}

/// The user as whom host and attack run.
enum AttackUser: CaseIterable, CustomTestStringConvertible {
    case root, ordinary

    /// Those as whom these tests can run programs.
    static let available: [AttackUser] =
        geteuid() != 0 ? [.ordinary] : Users.canBeChanged ? [.root, .ordinary] : [.root]

    var id: uid_t {
        switch self {
        case .root: 0
        case .ordinary: geteuid() == 0 ? Users.nobody : geteuid()
        }
    }

    var testDescription: String { "\(self)" }
}

/// The layers that work on this machine.
struct AttackedMachine: Equatable {
    /// The version of Landlock's ABI; 0: none.
    var landlock: Int
    var hasNamespaces: Bool

    /// The layers that are missing if `removed` is taken away, too.
    func missing(_ removed: Layer?) -> Set<Layer> {
        var missing: Set<Layer> = []
        if let removed { missing.insert(removed) }
        if landlock == 0 { missing.insert(.landlock) }
        if !hasNamespaces { missing.insert(.namespaces) }
        return missing
    }
}

/// The answers of an attack that are as promised.
struct Answers: ExpressibleByStringLiteral, Sendable {
    var texts: Set<String>
    /// The version of Landlock's ABI that they need.
    var landlock = 0

    /// Alternatives are separated by `|`.
    init(stringLiteral value: String) {
        texts = Set(value.split(separator: "|").map(String.init))
    }

    static func landlock(_ version: Int, _ texts: Answers) -> Answers {
        var answers = texts
        answers.landlock = version
        return answers
    }
}

/// A row of the table: the answers of one attack of Tests/Misbehaving/hostile.
struct Attack: Sendable {
    /// The expected answers: with all layers, and without one of them; nil: nothing is promised.
    struct Row: Sendable {
        var all: Answers?
        var noNamespaces: Answers?
        var noLandlock: Answers?
        var noSeccomp: Answers?

        subscript(missing: Layer?) -> Answers? {
            switch missing {
            case nil, .limits: all
            case .namespaces: noNamespaces
            case .landlock: noLandlock
            case .seccomp: noSeccomp
            }
        }
    }

    enum Expectation {
        case answers(Set<String>)
        case notPromised
        /// The machine lacks a layer on which the answer depends.
        case notRun
    }

    /// The identifier of its task is `org.test.NAME`.
    var name: String
    /// Its name in the plugin.
    var attack: String
    var ordinary: Row
    var root: Row
    /// The answer without confinement, for attacks on what the test provides; nil: not run without.
    var control: String?
    /// Whether it kills its victim.
    var isFatal = false
    /// Whether its file is outside the directories that are covered.
    var isElsewhere = false
    var needsLimits = false
    /// Further keys of `confine:` of its task, as a mapping without braces.
    var confine = ""
    /// Its parameter `most`.
    var most: Int?

    init(
        _ name: String, _ all: Answers?, noNamespaces: Answers? = nil, noLandlock: Answers? = nil,
        noSeccomp: Answers? = nil, control: String? = nil
    ) {
        self.name = name
        attack = name
        ordinary = Row(
            all: all, noNamespaces: noNamespaces, noLandlock: noLandlock, noSeccomp: noSeccomp)
        root = ordinary
        self.control = control
    }

    /// An attack whose answers do not depend on the layers.
    static func always(_ name: String, _ answers: Answers) -> Attack {
        Attack(
            name, answers, noNamespaces: answers, noLandlock: answers, noSeccomp: answers)
    }

    /// A system call that the filter denies, and that the kernel denies as well if `noSeccomp` says so.
    static func denied(
        _ name: String, _ answers: Answers = "EPERM", noSeccomp: Answers? = nil
    ) -> Attack {
        Attack(
            name, answers, noNamespaces: answers, noLandlock: answers, noSeccomp: noSeccomp)
    }

    func forRoot(
        _ all: Answers?, noNamespaces: Answers? = nil, noLandlock: Answers? = nil,
        noSeccomp: Answers? = nil
    ) -> Attack {
        var attack = self
        attack.root = Row(
            all: all, noNamespaces: noNamespaces, noLandlock: noLandlock, noSeccomp: noSeccomp)
        return attack
    }

    func changed(_ change: (inout Attack) -> Void) -> Attack {
        var attack = self
        change(&attack)
        return attack
    }

    func row(of user: AttackUser) -> Row { user == .root ? root : ordinary }

    func expectation(
        of user: AttackUser, without layer: Layer?, on machine: AttackedMachine
    ) -> Expectation {
        let missing = machine.missing(layer)
        guard missing.count <= 1 else { return .notRun }
        if needsLimits, missing.contains(.limits) { return .notPromised }
        guard let answers = row(of: user)[missing.first] else { return .notPromised }
        return machine.landlock < answers.landlock ? .notRun : .answers(answers.texts)
    }
}
