// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs the targets without the fuzzer; `Scripts/fuzz` runs them with it.
@Suite("Inputs of the fuzz targets", .timeLimit(.minutes(10)))
struct CorpusTests {
    @Test("a target has a unique name and inputs that are short enough to be mutated")
    func targets() throws {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        for target in FuzzTarget.all {
            #expect(!target.seeds.isEmpty, "\(target.name) has no seed")
            for seed in target.seeds {
                #expect(!seed.bytes.isEmpty, "\(seed.origin) of \(target.name) is empty")
            }
            let isUsed = target.seeds.contains { $0.bytes.count <= target.longest }
            #expect(isUsed, "every seed of \(target.name) is above \(target.longest) bytes")
        }
    }

    @Test("every directory of inputs belongs to a target", arguments: ["Corpus", "Regressions"])
    func directories(kind: String) throws {
        let names = Set(FuzzTarget.all.map(\.name))
        let directory = FuzzTarget.root.appending(path: "\(FuzzTarget.directory)/\(kind)")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where !name.hasPrefix(".") {
            #expect(names.contains(name), "\(kind)/\(name)")
        }
    }

    @Test(
        "each seed and its prefixes satisfy the properties of the target",
        arguments: FuzzTarget.all.map(\.name))
    func seeds(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for seed in target.seeds {
            for part in 0...4 {
                try Self.run(target, seed.bytes.prefix(seed.bytes.count * part / 4), seed.origin)
            }
        }
    }

    @Test("an input that failed once does not fail again", arguments: FuzzTarget.all.map(\.name))
    func regressions(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for input in target.regressions {
            try Self.run(target, input.bytes[...], input.origin)
        }
    }

    private static func run(
        _ target: FuzzTarget, _ bytes: ArraySlice<UInt8>, _ origin: String
    ) throws {
        do {
            try target.run(Array(bytes))
        } catch {
            Issue.record("\(target.name), the first \(bytes.count) bytes of \(origin): \(error)")
        }
    }
}
