// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Confinement", .timeLimit(.minutes(10)))
struct ConfinementTests {
    /// Keys that all differ from those of another `number`.
    private static func keys(_ number: Int) -> ConfinementKeys {
        var keys = ConfinementKeys()
        keys.profile = number == 1 ? .standard : .strict
        keys.enforcement = number == 1 ? .require : .prefer
        keys.read = ["/r\(number)"]
        keys.write = ["/w\(number)"]
        keys.hide = ["/h\(number)"]
        keys.sockets = ["/s\(number)"]
        keys.devices = ["/d\(number)"]
        keys.network = number == 1 ? .any : Confinement.Network(connect: [443])
        keys.tasks = 100 + number
        keys.files = 200 + number
        keys.memory = Int64(250 + number)
        keys.fileSize = Int64(300 + number)
        keys.temporary = Int64(400 + number)
        keys.processorTime = .seconds(Int64(500 + number))
        keys.nice = number
        keys.reuse = number == 1 ? .never : .warm
        keys.keptVariables = ["V\(number)"]
        return keys
    }

    @Test("missing keys change nothing, inside or outside")
    func neutral() {
        let keys = Self.keys(1)
        #expect(keys.with(ConfinementKeys()) == keys)
        #expect(ConfinementKeys().with(keys) == keys)
        #expect(keys.with(keys) == keys)
    }

    @Test("lists add up, and of single values the inner one applies")
    func merge() {
        var expected = Self.keys(2)
        expected.read = ["/r1", "/r2"]
        expected.write = ["/w1", "/w2"]
        expected.hide = ["/h1", "/h2"]
        expected.sockets = ["/s1", "/s2"]
        expected.devices = ["/d1", "/d2"]
        expected.keptVariables = ["V1", "V2"]
        #expect(Self.keys(1).with(Self.keys(2)) == expected)
    }

    @Test("merging is associative")
    func associative() {
        let (a, b) = (Self.keys(1), Self.keys(2))
        var c = ConfinementKeys()
        c.read = ["/r1", "/r3"]
        c.nice = 7
        #expect(a.with(b).with(c) == a.with(b.with(c)))
        #expect(a.with(b).with(c).read == ["/r1", "/r2", "/r3"])
    }

    @Test("a key applies over the value of the profile", arguments: [1, 2])
    func keys(_ number: Int) {
        let keys = Self.keys(number)
        let confinement = Confinement(keys)
        #expect(confinement.profile == keys.profile)
        #expect(confinement.enforcement == keys.enforcement)
        #expect(confinement.read == keys.read)
        #expect(confinement.write == keys.write)
        #expect(confinement.hide == keys.hide)
        #expect(confinement.sockets == keys.sockets)
        #expect(confinement.devices == keys.devices)
        #expect(confinement.network == keys.network)
        #expect(confinement.tasks == keys.tasks)
        #expect(confinement.files == keys.files)
        #expect(confinement.memory == keys.memory)
        #expect(confinement.fileSize == keys.fileSize)
        #expect(confinement.temporary == keys.temporary)
        #expect(confinement.processorTime == keys.processorTime)
        #expect(confinement.nice == keys.nice)
        #expect(confinement.reuse == keys.reuse)
        #expect(confinement.keptVariables == keys.keptVariables)
    }

    @Test(
        "without keys, the profile decides",
        arguments: [nil, Confinement.Profile.none, .standard, .strict])
    func profiles(_ profile: Confinement.Profile?) {
        var keys = ConfinementKeys()
        keys.profile = profile
        let confinement = Confinement(keys)
        let isStrict = profile == .strict
        #expect(confinement.profile == profile ?? .none)
        #expect(confinement.enforcement == (isStrict ? .require : .prefer))
        #expect(confinement.network == (isStrict ? .none : .outgoing))
        #expect(confinement.tasks == (isStrict ? 64 : 512))
        #expect(confinement.files == (isStrict ? 1_024 : 4_096))
        #expect(confinement.memory == (isStrict ? 512 << 20 : nil))
        #expect(confinement.temporary == (isStrict ? 64 << 20 : 256 << 20))
        #expect(confinement.reuse == (isStrict ? .never : .warm))
        #expect(confinement.nice == 0)
        #expect(confinement.fileSize == nil && confinement.processorTime == nil)
        let lists = [
            confinement.read, confinement.write, confinement.hide, confinement.sockets,
            confinement.devices, confinement.keptVariables,
        ]
        #expect(lists.allSatisfy { $0.isEmpty })
    }
}
