// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunPlan
import Testing

@testable import BGRunConfinement

@Suite("the plan of a confined worker", .timeLimit(.minutes(5)))
struct PlanCompilerTests {
    private static let full = MachineLayers(namespaceProblem: nil, landlock: 7, hasSeccomp: true)

    private static func compiler(
        _ keys: ConfinementKeys = .standard, _ site: ConfinementSite = .played(),
        _ layers: MachineLayers = full, filter: [UInt8] = [], isPinned: Bool = false
    ) -> PlanCompiler {
        PlanCompiler(
            confinement: Confinement(keys), view: .played(keys, site), site: site, layers: layers,
            filter: filter, isPinned: isPinned)
    }

    private static func decoded(_ compiler: PlanCompiler) throws -> DecodedPlan {
        DecodedPlan(try #require(compiler.plan()).bytes)
    }

    @Test("mounts show only what covers or writable directories would hide or expose")
    func mounts() throws {
        var keys = ConfinementKeys.standard
        keys.write = ["/srv"]
        let plan = try Self.decoded(Self.compiler(keys, .played(guarded: ["/srv/one"])))
        let shown = plan.mounts.filter { $0.kind == BGRUN_MOUNT_SHOW.rawValue }.map(\.path)
        #expect(
            shown == [
                "/dev/null", "/home/ada/app", "/run/systemd/resolve", "/srv", "/srv/one",
                "/state/app/home",
            ])
        #expect(!plan.mounts.contains { $0.path == "/usr" })
        #expect(plan.mount("/home/ada/app")?.flags == 0)
        #expect(plan.mount("/srv")?.flags == BGRUN_MOUNT_WRITABLE)
        #expect(plan.mount("/srv/one")?.flags == BGRUN_MOUNT_FILE)
        #expect(plan.mount("/dev/pts")?.kind == BGRUN_MOUNT_PTS.rawValue)
        #expect(plan.mount("/tmp")?.size == 256 << 20)
        #expect(plan.mount("/home")?.flags == 0)
    }

    @Test("only root's plan keeps capabilities, and has no user namespace")
    func root() throws {
        let own = try Self.decoded(Self.compiler())
        let root = try Self.decoded(Self.compiler(.standard, .played(user: 0)))
        #expect(own.header.capabilities == 0)
        #expect(root.header.capabilities == 0b1111_1011)
        #expect(own.header.flags & BGRUN_PLAN_USER_NAMESPACE != 0)
        #expect(root.header.flags & BGRUN_PLAN_USER_NAMESPACE == 0)
    }

    @Test("a shown path that is reached by a link gets that link where its directory is hidden")
    func links() throws {
        var keys = ConfinementKeys.standard
        keys.read = ["/home/ada/.config"]
        let machine = PlayedMachine(links: ["/home/ada/.config": "/srv"])
        let site = ConfinementSite.played()
        let compiler = PlanCompiler(
            confinement: Confinement(keys), view: .played(keys, site, machine: machine), site: site,
            layers: Self.full, filter: [], isPinned: false)
        let plan = try Self.decoded(compiler)
        let links = plan.mounts.filter { $0.kind == BGRUN_MOUNT_LINK.rawValue }
        #expect(links.contains { $0.path == "/home/ada/.config" && $0.target == "/srv" })
        #expect(links.contains { $0.path == "/dev/fd" && $0.target == "/proc/self/fd" })
    }

    @Test("what is hidden in a hidden directory needs no mount")
    func hiddenTwice() throws {
        let site = ConfinementSite.played(secrets: ["/home/ada/.ssh"])
        let plan = try Self.decoded(Self.compiler(.standard, site))
        #expect(plan.mount("/home/ada/.ssh") == nil && plan.mount("/home/ada") == nil)
        #expect(plan.mount("/home") != nil)
    }

    @Test("rules of Landlock have only rights that the kernel handles and files may have")
    func landlock() throws {
        for abi in 1...7 {
            var layers = Self.full
            layers.landlock = abi
            let plan = try Self.decoded(Self.compiler(.standard, .played(), layers))
            for path in plan.paths {
                #expect(path.access & ~plan.header.handled_files == 0, "\(abi): \(path.path)")
                if PlayedMachine().files.contains(path.path) {
                    #expect(path.access & ~LandlockRights.ofFiles.rawValue == 0, "\(path.path)")
                }
            }
            #expect((plan.header.scoped != 0) == (abi >= 6))
            #expect((plan.header.handled_ports != 0) == (abi >= 4))
            #expect(plan.header.handled_files == (1 << [13, 14, 15, 15, 16, 16, 16][abi - 1]) - 1)
        }
    }

    @Test("without namespaces no rule of Landlock covers a guarded file, or the state, for writing")
    func withoutNamespaces() throws {
        var layers = Self.full
        layers.namespaceProblem = "not permitted"
        let plan = try Self.decoded(Self.compiler(.standard, .played(), layers))
        #expect(plan.mounts.isEmpty)
        let write = LandlockRights.writeFile.rawValue | LandlockRights.makeFile.rawValue
        for path in plan.paths where path.access & write != 0 {
            for file in [
                "/home/ada/app/app.yaml", "/home/ada/app/two.so", "/state/app/bgrun.sqlite",
            ] {
                #expect(!FileRules.contains(path.path, file), "\(path.path) covers \(file)")
            }
        }
        let read = LandlockRights.readFile.rawValue
        for path in plan.paths where path.access & read != 0 {
            #expect(!FileRules.contains(path.path, "/state/app/bgrun.sqlite"), "\(path.path)")
            #expect(!FileRules.contains(path.path, "/home/ada/.ssh"), "\(path.path)")
        }
    }

    @Test("ports become rules only if some are listed, and offline workers get a network namespace")
    func ports() throws {
        var keys = ConfinementKeys.standard
        keys.network = Confinement.Network(connect: [443, 53], listen: [8080])
        let plan = try Self.decoded(Self.compiler(keys))
        #expect(plan.header.handled_ports == 3)
        #expect(plan.ports.map { [$0.access, $0.port] } == [[1, 8080], [2, 443], [2, 53]])
        keys.network = Confinement.Network.none
        let offline = try Self.decoded(Self.compiler(keys))
        #expect(offline.header.flags & BGRUN_PLAN_NETWORK_NAMESPACE != 0)
        #expect(offline.ports.isEmpty && offline.header.handled_ports == 0)
        keys.network = .any
        #expect(try Self.decoded(Self.compiler(keys)).header.handled_ports == 0)
    }

    @Test("the task limit needs a user namespace: only there the kernel counts the worker's own")
    func limits() throws {
        var keys = ConfinementKeys.standard
        (keys.tasks, keys.files, keys.fileSize) = (20, 100, 4096)
        keys.processorTime = .milliseconds(1_500)
        let limits = try Self.decoded(Self.compiler(keys)).limits
        #expect(limits == [4: 1, 14: 0, 7: 100, 1: 4096, 0: 2, 6: 20])
        let root = try Self.decoded(Self.compiler(keys, .played(user: 0))).limits
        #expect(root[6] == nil)
    }

    @Test("the plan names the filter's instructions, the worker, and a pinned plugin")
    func rest() throws {
        let plan = try Self.decoded(
            Self.compiler(filter: [UInt8](repeating: 6, count: 24), isPinned: true))
        #expect(plan.header.filter.count == 3)
        #expect(plan.text(plan.header.executable) == "/lib/bgrun/bgrun-worker")
        #expect(plan.header.flags & BGRUN_PLAN_HAS_PLUGIN != 0)
        #expect(plan.header.size == UInt32(plan.bytes.count))
    }

    @Test("a confinement with more paths than a plan holds has no plan")
    func tooLarge() {
        var keys = ConfinementKeys.standard
        keys.write = (0..<600).map { "/w/\($0)" }
        let site = ConfinementSite.played()
        let view = FileView(Confinement(keys), plugin: nil, site, root: []) { path in
            path.hasPrefix("/w/") ? FileView.Place(path: path, isFile: false) : nil
        }
        let compiler = PlanCompiler(
            confinement: Confinement(keys), view: view, site: site, layers: Self.full, filter: [],
            isPinned: false)
        #expect(compiler.plan() == nil)
    }
}
