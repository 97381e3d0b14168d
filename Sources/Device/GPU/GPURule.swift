// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A device node for computing on a GPU.
struct GPUNode: Equatable, Sendable {
    /// /dev/dri/renderD128
    var path: String
    /// Whether this process may open it.
    var isUsable: Bool

    static func all(_ files: SystemFiles) -> [GPUNode] {
        let render = (files.names(in: "/dev/dri") ?? []).filter { $0.hasPrefix("renderD") }
            .map { "/dev/dri/" + $0 }
        let others = ["/dev/nvidia0", "/dev/kfd"].filter(files.exists)
        return (render + others).map { GPUNode(path: $0, isUsable: files.isUsable($0)) }
    }
}

/// Decides whether this process has a GPU.
enum GPURule {
    static func isPresent(_ nodes: [GPUNode]) -> Finding<Reading> {
        if let node = nodes.first(where: \.isUsable) {
            return Finding(.yes, from: node.path, .measured, because: "\(node.path) can be opened")
        }
        if let node = nodes.first {
            return Finding(
                .no, from: node.path, .measured,
                because: "this user may not open \(node.path); add it to the group `render`")
        }
        return Finding(
            .no, from: "/dev/dri", .derived,
            because: "no render node, /dev/nvidia0 or /dev/kfd exists")
    }
}
