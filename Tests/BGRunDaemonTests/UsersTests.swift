// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import BGRunDaemon

@Suite("The rights that an app gets", .timeLimit(.minutes(10)))
struct UsersTests {
    static let root = Account(uid: 0, gid: 0, name: "root", home: "/root", groups: [0])
    static let ada = Account(uid: 10, gid: 10, name: "ada", home: "/home/ada", groups: [10, 50])
    static let bob = Account(uid: 11, gid: 11, name: "bob", home: "/home/bob", groups: [11])

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var daemon = UsersTests.root
        var owner: Account
        var user: Account?
        var group: gid_t?
        var control: gid_t?
        /// The user of the host; nil: refused.
        var runs: uid_t?
        /// Root in a container that knows no other users.
        var isAlone = false

        var isRoots: Bool { daemon.uid == 0 && !isAlone }
    }

    static let cases = [
        Case(testDescription: "root's file, hosted by root", owner: root, runs: 0),
        Case(testDescription: "a user's file, hosted by root", owner: ada, runs: 10),
        Case(testDescription: "root's file for a user", owner: root, user: ada, runs: 10),
        Case(testDescription: "a user's file for himself", owner: ada, user: ada, runs: 10),
        Case(testDescription: "a user's file for another", owner: ada, user: bob, runs: nil),
        Case(testDescription: "a user's file for root", owner: ada, user: root, runs: nil),
        Case(testDescription: "a user's daemon, his file", daemon: ada, owner: ada, runs: 10),
        Case(testDescription: "a user's daemon, root's file", daemon: ada, owner: root, runs: 10),
        Case(
            testDescription: "a user's daemon, a file for another", daemon: ada, owner: ada,
            user: bob, runs: nil),
        Case(
            testDescription: "a user's daemon, root's file for another", daemon: ada, owner: root,
            user: bob, runs: nil),
        Case(
            testDescription: "a group the user is in", owner: ada, group: 50, runs: 10),
        Case(
            testDescription: "a group the user is not in", owner: ada, group: 51, runs: nil),
        Case(
            testDescription: "any group, when root says so", owner: root, user: ada, group: 51,
            runs: 10),
        Case(
            testDescription: "a user's daemon, a group he is not in", daemon: ada, owner: root,
            group: 51, runs: nil),
        Case(
            testDescription: "a control group the user is in", owner: ada, control: 50, runs: 10),
        Case(
            testDescription: "a control group the user is not in", owner: ada, control: 51,
            runs: nil),
        Case(
            testDescription: "root alone in a container, root's file", owner: root, runs: 0,
            isAlone: true),
        Case(
            testDescription: "root alone in a container, a file for another", owner: root,
            user: ada, runs: nil, isAlone: true),
        Case(
            testDescription: "any control group, when root says so", owner: root, control: 51,
            runs: 0),
    ]

    @Test(
        "a manifest grants the rights of its owner; a manifest of root grants any rights",
        arguments: cases)
    func grants(_ item: Case) throws {
        let wish = AccountRule.UserRequest(
            user: item.user, group: item.group, controlGroup: item.control)
        guard let uid = item.runs else {
            #expect(throws: AccountRule.Refusal.self) {
                try AccountRule.grant(
                    wish, owner: item.owner, daemon: item.daemon, changesUsers: item.isRoots)
            }
            return
        }
        let grant = try AccountRule.grant(
            wish, owner: item.owner, daemon: item.daemon, changesUsers: item.isRoots)
        #expect(grant.account.uid == uid)
        #expect(grant.account.gid == item.group ?? grant.account.gid)
        #expect(grant.account.groups.contains(grant.account.gid))
        #expect(grant.controlGroup == item.control)
    }

    @Test("a host of another user has that user's environment, and the machine's part of root's")
    func environment() {
        let inherited = [
            "HOME=/root", "PATH=/secret", "SSH_AUTH_SOCK=/x", "LC_ALL=C", "TZ=UTC",
            "NOTIFY_SOCKET=/n", "WATCHDOG_USEC=1", "JOURNAL_STREAM=1:2", "BGRUN_X=1",
        ]
        #expect(
            HostEnvironment.of(Self.ada, inherited: inherited) == [
                "HOME=/home/ada", "USER=ada", "LOGNAME=ada", "SHELL=/bin/sh",
                "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "JOURNAL_STREAM=1:2",
                "BGRUN_X=1",
            ])
        #expect(
            HostEnvironment.own(inherited)
                == inherited.filter { !$0.hasPrefix("NOTIFY") && !$0.hasPrefix("WATCHDOG") })
    }

    @Test("facts of a manifest are decoded, and any other text is refused")
    func facts() {
        let facts = ManifestFacts(
            owner: 7, app: "com.example.a", user: "ada", group: nil, controlGroup: "adm")
        #expect(ManifestFacts(ManifestFacts.text(owner: 7) + facts.text) == facts)
        #expect(ManifestFacts(facts.text) == nil, "the owner is said before the file is read")
        #expect(
            ManifestFacts("owner=7\n" + facts.text + "owner=0\n") == nil, "and is not taken back")
        #expect(ManifestFacts.problem(in: "owner=7\nproblem=bad\n") == "bad")
        for text in [
            "", "app=", "app=../etc", "app=.daemon", "app=a/b", "app=a\napp=b", "user=ada", "app",
        ] {
            #expect(ManifestFacts(text) == nil, "\(text)")
        }
    }

    @Test("users are found by name and by number, also by a number without a user")
    func accounts() throws {
        let root = try #require(Account(named: "root"))
        #expect(root.uid == 0 && root.groups.contains(0) && root.home.hasPrefix("/"))
        #expect(Account(named: "0") == root)
        let stranger = try #require(Account(named: "4012345"))
        #expect(
            stranger
                == Account(uid: 4_012_345, gid: 4_012_345, name: "4012345", groups: [4_012_345]))
        #expect(Account(named: "no such user") == nil)
        #expect(Account.group(named: "root") == 0)
        #expect(Account.group(named: "77") == 77)
        #expect(Account.group(named: "no such group") == nil)
    }
}
