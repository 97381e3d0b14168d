// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy
import Testing

@Suite("The exposure of a task", .timeLimit(.minutes(10)))
struct ExposureTests {
    private static let homes = ["/home", "/root", "/home/ada"]
    private static let full = MachineLayers(namespaceProblem: nil, landlock: 7, hasSeccomp: true)

    private static func exposure(
        _ profile: Confinement.Profile = .standard, _ layers: MachineLayers = full,
        _ change: (inout ConfinementKeys) -> Void = { _ in }
    ) -> Exposure {
        var keys = ConfinementKeys()
        keys.profile = profile
        change(&keys)
        return Exposure(Confinement(keys), homes: homes, layers)
    }

    @Test("is 10.0 without confinement, about 4 by default and about 1 when strict")
    func profiles() {
        #expect(Self.exposure(.none).score == "10.0")
        #expect(Self.exposure(.none).word == "UNSAFE")
        #expect(Self.exposure(.standard).score == "3.9")
        #expect(Self.exposure(.standard).word == "OK")
        #expect(Self.exposure(.strict).score == "0.8")
        #expect(Self.exposure(.none).items.map(\.name) == ["unconfined"])
    }

    @Test(
        "of wide grants is high",
        arguments: [
            ("/", "9.9", "UNSAFE"), ("/home", "7.9", "EXPOSED"), ("/home/ada", "7.9", "EXPOSED"),
            ("/home/bob", "7.9", "EXPOSED"), ("/etc/cron.d", "7.9", "EXPOSED"),
            ("/home/ada/photos", "4.7", "OK"), ("/srv/photos", "4.3", "OK"),
        ])
    func writing(_ path: String, _ score: String, _ word: String) {
        let exposure = Self.exposure { $0.write = [path] }
        #expect(exposure.score == score)
        #expect(exposure.word == word)
        #expect(exposure.items.contains { $0.text.hasSuffix(" \(path)") })
    }

    @Test(
        "of a service or device that acts for the handler is high",
        arguments: [
            ("/run/docker.sock", true), ("/run/user/1000/bus", true), ("/run", true),
            ("/run/postgresql/.s.PGSQL.5432", false), ("/dev/mem", true), ("/dev/sda1", true),
            ("/dev", true), ("/dev/dri/renderD128", false), ("/dev/snd", false),
        ])
    func services(_ path: String, _ isPowerful: Bool) {
        let exposure = Self.exposure { keys in
            if path.hasPrefix("/dev") { keys.devices = [path] } else { keys.sockets = [path] }
        }
        #expect((exposure.word == "EXPOSED") == isPowerful)
    }

    @Test("counts layers that the machine lacks, unless attempts are refused without them")
    func layers() {
        var layers = Self.full
        layers.namespaceProblem = "EPERM"
        #expect(Self.exposure(.standard, layers).score == "5.4")
        layers.landlock = 0
        #expect(Self.exposure(.standard, layers).score == "7.4")
        #expect(Self.exposure(.standard, layers) { $0.enforcement = .require }.score == "3.4")
        layers.hasSeccomp = false
        #expect(Self.exposure(.standard, layers).items.map(\.name) == ["noLayer"])
        #expect(Self.exposure(.strict, layers).score == "0.8")
    }

    @Test("a limit of memory lowers it")
    func memory() {
        let limited = Self.exposure { $0.memory = 1 << 30 }
        #expect(limited.score == "3.6")
        #expect(!limited.items.contains { $0.name == "memory" })
        #expect(Self.exposure(.standard).items.contains { $0.name == "memory" })
        #expect(!Self.exposure(.strict).items.contains { $0.name == "memory" })
    }

    private enum Grant {
        case read(String), write(String), socket(String), device(String), variable(String)
        case connect(UInt16?), listen(UInt16?), udp

        func apply(to keys: inout ConfinementKeys) {
            switch self {
            case .read(let path): keys.read.append(path)
            case .write(let path): keys.write.append(path)
            case .socket(let path): keys.sockets.append(path)
            case .device(let path): keys.devices.append(path)
            case .variable(let name): keys.keptVariables.append(name)
            case .connect(let port?): keys.network?.connect?.append(port)
            case .connect(nil): keys.network?.connect = nil
            case .listen(let port?): keys.network?.listen?.append(port)
            case .listen(nil): keys.network?.listen = nil
            case .udp: keys.network?.udp = true
            }
        }

        static var all: [Grant] {
            var all: [Grant] = [
                .socket("/run/docker.sock"), .socket("/run/a.sock"), .socket("/run/b.sock"),
                .device("/dev/sda"), .device("/dev/fuse"), .connect(80), .connect(443),
                .connect(nil), .listen(80), .listen(443), .listen(nil), .udp,
            ]
            for path in ["/", "/home/ada", "/home/ada/a", "/home/ada/b", "/etc", "/srv", "/var"] {
                all += [.read(path), .write(path)]
            }
            return all + ["A", "B", "C", "D", "E"].map { .variable($0) }
        }
    }

    @Test("never falls with a further grant, whatever is granted and missing")
    func monotone() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var keys = ConfinementKeys()
            keys.profile = Bool.random(using: &random) ? .standard : .strict
            keys.network = Confinement.Network.none
            keys.enforcement = Bool.random(using: &random) ? .prefer : .require
            let layers = MachineLayers(
                namespaceProblem: Bool.random(using: &random) ? nil : "EPERM",
                landlock: Int.random(in: 0...7, using: &random),
                hasSeccomp: Bool.random(using: &random))
            var last = 0
            for grant in Grant.all.shuffled(using: &random) {
                grant.apply(to: &keys)
                let exposure = Exposure(Confinement(keys), homes: Self.homes, layers)
                #expect(exposure.tenths >= last, "\(keys) \(layers)")
                #expect(exposure.tenths <= 100)
                last = exposure.tenths
            }
        }
    }

    @Test("lists the heaviest fact first")
    func order() {
        let items = Self.exposure { $0.write = ["/home/ada", "/srv"] }.items
        #expect(items.first?.name == "writesHomes")
        #expect(items.map(\.tenths) == items.map(\.tenths).sorted(by: >))
    }
}
