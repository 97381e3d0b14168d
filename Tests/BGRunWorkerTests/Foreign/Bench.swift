// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Foundation
import Glibc
import Synchronization

/// A temporary directory, a recorded log, and an attempt that can expire.
final class Bench: Sendable {
    let directory: URL
    private let lines = Mutex<[String]>([])
    private let expired: @Sendable () -> Bool

    init(isExpired: @escaping @Sendable () -> Bool = { false }) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-foreign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        expired = isExpired
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func run(_ calls: ForeignCall...) -> ForeignOutcome {
        run(calls)
    }

    func run(_ calls: [ForeignCall]) -> ForeignOutcome {
        let interpreter = ForeignInterpreter(
            directory: directory.path,
            log: { [self] level, line in lines.withLock { $0.append("\(level): \(line)") } },
            isExpired: expired)
        return interpreter.run(ForeignProgram(calls: calls))
    }

    /// The log, one `level: text` per line.
    var log: [String] { lines.withLock { $0 } }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func contents(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: directory.appendingPathComponent(name))
    }

    /// The names in the directory, sorted.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
    }
}

/// The C library of `Fixtures/foreign.c`, compiled once per process into the build directory.
enum Fixture {
    static let library: String = {
        let source = Built.package + "/Tests/BGRunWorkerTests/Fixtures/foreign.c"
        let library = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("bgrun-foreign-fixture.so").path
        // Test runs may compile at the same time; a rename replaces the file atomically.
        let fresh = "\(library).\(getpid())"
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["cc", "-O2", "-fPIC", "-shared", "-o", fresh, source]
        do {
            try compiler.run()
            compiler.waitUntilExit()
        } catch {
            fatalError("cc cannot be run: \(error)")
        }
        guard compiler.terminationStatus == 0, rename(fresh, library) == 0 else {
            fatalError("foreign.c does not compile")
        }
        return library
    }()
}

/// A call into the fixture.
func fixture(
    _ function: String, _ arguments: [ForeignArgument] = [], returns: ForeignType = .void,
    result: String? = nil, success: ForeignSuccess? = nil, always: Bool = false,
    fixed: Int? = nil
) -> ForeignCall {
    ForeignCall(
        library: Fixture.library, function: function, arguments: arguments, returns: returns,
        result: result, success: success, always: always, fixedArguments: fixed)
}

extension ForeignArgument {
    /// An argument without a name.
    static func value(_ value: ForeignValue) -> ForeignArgument { ForeignArgument(value: value) }

    static func named(_ name: String, _ value: ForeignValue) -> ForeignArgument {
        ForeignArgument(name: name, value: value)
    }
}
