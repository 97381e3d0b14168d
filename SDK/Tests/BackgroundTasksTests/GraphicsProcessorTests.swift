// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BackgroundTasks

@Suite("Graphics processors", .timeLimit(.minutes(5)))
struct GraphicsProcessorTests {
    private func machine(_ nodes: [String], dangling: [String] = []) throws -> String {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gpu-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("dev/dri"), withIntermediateDirectories: true)
        for node in nodes { try Data().write(to: root.appendingPathComponent(node)) }
        for node in dangling {
            try FileManager.default.createSymbolicLink(
                atPath: root.appendingPathComponent(node).path, withDestinationPath: "missing")
        }
        return root.path
    }

    @Test(
        "a processor is usable if its render node, /dev/nvidia0 or /dev/kfd can be opened",
        arguments: ["dev/dri/renderD128", "dev/nvidia0", "dev/kfd"])
    func usable(node: String) throws {
        let root = try machine([node])
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(GraphicsProcessor.isUsable(below: root))
    }

    @Test("a display node does not count, nor does a node that cannot be opened")
    func unusable() throws {
        let root = try machine(["dev/dri/card0"], dangling: ["dev/dri/renderD128", "dev/kfd"])
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(!GraphicsProcessor.isUsable(below: root))
    }
}
