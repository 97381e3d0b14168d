// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A parser of external input, and the properties that must hold for every input.
struct FuzzTarget: Sendable {
    /// The name of its directories below `Corpus` and `Regressions`.
    let name: String
    /// The largest input in bytes that the fuzzer makes.
    let longest: Int
    /// Passes one input to the parser. Throws a `Violation` if a property does not hold; the fuzzer
    /// detects a trap or a hang.
    let run: @Sendable ([UInt8]) throws -> Void

    private let files: [SeedFiles]
    private let made: @Sendable () -> [[UInt8]]

    /// Files of the repository that are valid inputs.
    struct SeedFiles: Sendable {
        /// A file or a directory, relative to the root of the repository.
        var path: String
        /// In a directory: files with these endings, at any depth.
        var endings: [String]

        init(_ path: String, _ endings: String...) {
            self.path = path
            self.endings = endings
        }
    }

    /// - Parameters:
    ///   - seeds: Files of the repository, in addition to `Corpus/NAME`.
    ///   - made: Creates binary seeds.
    init(
        _ name: String, longest: Int = 4_096, seeds: [SeedFiles] = [],
        made: @escaping @Sendable () -> [[UInt8]] = { [] },
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.longest = longest
        self.files = seeds
        self.made = made
        self.run = run
    }

    /// An input and its origin.
    struct Input: Sendable {
        var origin: String
        var bytes: [UInt8]
    }

    /// The initial inputs of the fuzzer.
    var seeds: [Input] {
        let all = [SeedFiles("\(Self.directory)/Corpus/\(name)", "")] + files
        return all.flatMap(Self.inputs)
            + made().enumerated().map { Input(origin: "made-\($0.offset)", bytes: $0.element) }
    }

    /// Inputs that failed in the past.
    var regressions: [Input] {
        Self.inputs(SeedFiles("\(Self.directory)/Regressions/\(name)", ""))
    }

    /// The directory of this file, relative to the root of the repository.
    static let directory = "Tests/BGRunFuzzTests"

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The contents of a file of the repository; empty if it is missing.
    static func contents(_ path: String) -> [UInt8] {
        [UInt8]((try? Data(contentsOf: root.appending(path: path))) ?? Data())
    }

    private static func inputs(_ seeds: SeedFiles) -> [Input] {
        let base = root.appending(path: seeds.path)
        guard !seeds.endings.isEmpty else {
            return [Input(origin: seeds.path, bytes: contents(seeds.path))]
        }
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return (paths ?? []).sorted().compactMap { path in
            var isDirectory = ObjCBool(false)
            let file = base.appending(path: path)
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
                !isDirectory.boolValue, seeds.endings.contains(where: path.hasSuffix),
                let data = try? Data(contentsOf: file)
            else { return nil }
            return Input(origin: "\(seeds.path)/\(path)", bytes: [UInt8](data))
        }
    }
}

/// A property that does not hold.
struct Violation: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws unless `condition` is true.
func hold(
    _ condition: @autoclosure () throws -> Bool, _ description: @autoclosure () -> String
) throws {
    if try !condition() { throw Violation(description()) }
}
