// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The findings for every plain reading.
struct PlainFindings: Equatable, Sendable {
    private var found: [String: Finding<Reading>] = [:]

    /// The functions that find them, by name, from the files, the state directory and the previous
    /// value.
    private static let sources:
        [String: @Sendable (SystemFiles, String, Reading) -> Finding<Reading>] = [
            "storage": { _, directory, before in
                StorageRule.isLow(
                    StorageSnapshot(directory: directory), before: before, path: directory)
            },
            "memory": { files, _, before in
                MemoryRule.isLow(MemorySnapshot(files), before: before)
            },
            "gpu": { files, _, _ in GPURule.isPresent(GPUNode.all(files)) },
        ]

    init(_ files: SystemFiles, stateDirectory: String) {
        look(files, stateDirectory: stateDirectory)
    }

    package subscript(reading: PlainReading) -> Finding<Reading> {
        found[reading.name]
            ?? Finding(.unknown, from: "none", .unknown, because: "no source is known")
    }

    mutating func look(_ files: SystemFiles, stateDirectory: String) {
        for (name, source) in Self.sources {
            found[name] = source(files, stateDirectory, found[name]?.value ?? .unknown)
        }
    }
}
