// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import Glibc
import Testing

@testable import BGRunControl
@testable import BGRunHost

@Suite("Access to the control socket", .timeLimit(.minutes(10)))
struct ControlAccessTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var user: uid_t
        var groups: [gid_t]
        var group: gid_t?
        var access: ControlAccess
    }

    static let cases = [
        Case(
            testDescription: "its own user", user: 7, groups: [7], group: nil, access: .everything),
        Case(testDescription: "root", user: 0, groups: [0], group: nil, access: .everything),
        Case(
            testDescription: "a stranger", user: 8, groups: [8, 50], group: nil, access: .nothing),
        Case(
            testDescription: "a member of the group", user: 8, groups: [8, 50], group: 50,
            access: .asking),
        Case(
            testDescription: "a member of another group", user: 8, groups: [8, 51], group: 50,
            access: .nothing),
        Case(
            testDescription: "its own user, in the group", user: 7, groups: [7, 50], group: 50,
            access: .everything),
    ]

    @Test(
        "the user and root may do everything; members of the group may only ask", arguments: cases)
    func access(_ item: Case) {
        let peer = PeerCredentials(user: item.user, groups: item.groups)
        #expect(ControlAccess.of(peer, owner: 7, group: item.group) == item.access)
    }

    @Test("requests that members of the group may send change nothing")
    func commands() {
        let all = ControlRequest.Command.allCases
        func isRefused(_ access: ControlAccess, _ command: ControlRequest.Command) -> Bool {
            access.refusal(of: ControlRequest(command)) != nil
        }
        #expect(all.allSatisfy { !isRefused(.everything, $0) })
        let asking: [ControlRequest.Command] = [.pending, .running, .explain, .watch]
        #expect(Set(all.filter { !isRefused(.asking, $0) }) == Set(asking))
        #expect(all.allSatisfy { isRefused(.nothing, $0) })
    }

    @Test("only the user and root may request a forecast, which takes time of the host")
    func forecasts() {
        let forecasts = [
            ControlRequest(.explain, delay: .hours(1)),
            ControlRequest(.explain, at: WallTime(milliseconds: 1)),
        ]
        for forecast in forecasts {
            #expect(ControlAccess.everything.refusal(of: forecast) == nil)
            #expect(ControlAccess.asking.refusal(of: forecast)?.contains("forecast") == true)
        }
    }

    @Test("the kernel reports the user, the groups and the process of the peer")
    func peer() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let peer = try #require(PeerCredentials(of: ends[0]))
        #expect(peer.user == geteuid())
        #expect(peer.groups.contains(getegid()))
        #expect(try peer.process == .known(#require(ProcessIdentity(of: getpid()))))
        #expect(PeerCredentials(of: -1) == nil)
    }

    @Test("a process of a confined attempt is refused with the reason, and is looked for once")
    func confined() throws {
        let loop = try EventLoop()
        let path = "/tmp/bgrun-\(getpid())-confined.sock"
        var looked = 0
        let server = try ControlServer(loop, path: path) { _, _, answer in
            answer(ControlResponse())
        } isConfined: { _ in
            looked += 1
            return true
        }
        let client = SocketName.stream(AF_UNIX)
        defer { close(client) }
        try #require(SocketName.with(path: path) { connect(client, $0, $1) } == 0)
        let requests = String(repeating: "{\"command\": \"running\"}\n", count: 2)
        send(client, requests, requests.utf8.count, 0)
        shutdown(client, Int32(SHUT_WR))
        var told: [UInt8] = []
        try loop.watch(client) { _ in
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(client, &chunk, chunk.count)
            told += chunk.prefix(max(0, count))
            if count <= 0 { loop.stop() }
        }
        loop.run()
        let lines = String(decoding: told, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && looked == 1)
        #expect(lines.allSatisfy { $0.contains("a confined handler cannot ask its host") })
        withExtendedLifetime(server) {}
    }
}
