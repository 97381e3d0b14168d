// SPDX-License-Identifier: Apache-2.0

import Foundation

// libFuzzer provides `main`, which calls these two functions. The environment variable
// BGRUN_FUZZ_TARGET names the target, also for the processes that libFuzzer starts, for example to
// minimise an input.

/// The target of this process.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["BGRUN_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        print("BGRUN_FUZZ_TARGET must be one of", FuzzTarget.all.map(\.name).joined(separator: " "))
        exit(64)
    }
    return target
}()

/// `--list` prints the targets and their largest inputs; `--seeds DIRECTORY` writes the seeds and the
/// regressions of the target.
@_cdecl("LLVMFuzzerInitialize")
package func initialize(_: UnsafeMutableRawPointer, _: UnsafeMutableRawPointer) -> CInt {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "--list":
        for target in FuzzTarget.all { print(target.name, target.longest) }
        exit(0)
    case "--seeds":
        writeSeeds(to: arguments.dropFirst().first ?? ".")
        exit(0)
    default: return 0
    }
}

private func writeSeeds(to directory: String) {
    for (number, input) in (target.seeds + target.regressions).enumerated() {
        let name = input.origin.split(separator: "/").last.map(String.init) ?? "seed"
        let file = URL(filePath: directory).appending(path: "\(number)-\(name)")
        do {
            try Data(input.bytes).write(to: file)
        } catch {
            print(error)
            exit(74)
        }
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError("\(target.name): \(error)")
    }
    return 0
}
