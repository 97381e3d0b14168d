// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@Suite("Mutated manifests", .timeLimit(.minutes(60)))
struct MutationTests {
    /// The number of runs with one seed; BGRUN_FUZZ_ROUNDS sets it.
    private let rounds =
        ProcessInfo.processInfo.environment["BGRUN_FUZZ_ROUNDS"].flatMap(Int.init) ?? 1_500

    @Test("any mutated manifest is read, or refused with places that exist")
    func mutations() throws {
        let seed =
            ProcessInfo.processInfo.environment["BGRUN_FUZZ_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0 ... .max)
        print("BGRUN_FUZZ_SEED=\(seed)")
        var random = SplitMix(seed: seed)
        let corpus = try (Case.all("valid") + Case.all("invalid")).map {
            try [UInt8](Data(contentsOf: $0.url))
        }
        for round in 0..<rounds {
            guard var bytes = corpus.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                mutate(&bytes, corpus: corpus, using: &random)
            }
            check(bytes, "seed \(seed), round \(round)")
        }
    }

    private func check(_ bytes: [UInt8], _ round: String) {
        do throws(ManifestProblems) {
            let reading = try Sample.read(bytes)
            #expect(reading.manifest.app.isEmpty == false, "\(round)")
            #expect(reading.warnings.allSatisfy { $0.severity == .warning }, "\(round)")
        } catch {
            #expect(error.diagnostics.contains { $0.severity == .error }, "\(round)")
            #expect(error.diagnostics.count <= 201, "\(round)")
            for diagnostic in error.diagnostics {
                #expect(!diagnostic.remedy.isEmpty && !diagnostic.message.isEmpty, "\(round)")
                let rendered = diagnostic.rendered(color: false)
                let steers = rendered.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value)
                }
                #expect(!steers, "\(round)")
                guard let mark = diagnostic.mark else { continue }
                #expect((1...bytes.count + 1).contains(mark.line), "\(round)")
                #expect((1...bytes.count + 1).contains(mark.column), "\(round)")
            }
        }
    }

    private func mutate(
        _ bytes: inout [UInt8], corpus: [[UInt8]], using random: inout SplitMix
    ) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...24, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 2 where start < bytes.count: bytes[start] = UInt8.random(in: 0...255, using: &random)
        case 3 where start < bytes.count:
            bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4:
            let token = Self.tokens.randomElement(using: &random) ?? ""
            bytes.insert(contentsOf: token.utf8, at: start)
        case 5:
            let other = corpus.randomElement(using: &random) ?? []
            bytes.insert(
                contentsOf: other.prefix(Int.random(in: 0...200, using: &random)), at: start)
        default:
            let token = Self.tokens.randomElement(using: &random) ?? ""
            bytes.replaceSubrange(start..<end, with: token.utf8)
        }
    }

    private static let tokens = [
        ": ", "- ", "\n", "\n  ", "\t", "[", "]", "{", "}", ",", "&a ", "*a", "<<: *a", "!!int ",
        "!x ", "|\n", ">-\n", "\"", "'", "#", "---\n", "...\n", "%YAML 1.1\n", "? ", "~", "null",
        "true", "-1", "0x7fffffffffffffff", "9999999999999999999999", "1e999", ".nan", "1s", "5%",
        "\u{FEFF}", "\u{2028}", "\u{85}", "日", "👩‍💻", "\\u0000", "pointer_to: ", "struct: [",
    ]
}
