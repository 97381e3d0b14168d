// SPDX-License-Identifier: Apache-2.0
//
// Tests the effects of a foreign program on its process, in a separate process. Exits with a message
// and a code other than 0 if a test fails.

import BGRunProtocol
import BGRunWorker
import Glibc
import Synchronization

/// A call into the fixture library.
func fixture(
    _ function: String, _ arguments: [ForeignArgument] = [], returns: ForeignType = .void,
    result: String? = nil, success: ForeignSuccess? = nil
) -> ForeignCall {
    ForeignCall(
        library: library, function: function, arguments: arguments, returns: returns,
        result: result, success: success)
}

func value(_ value: ForeignValue) -> ForeignArgument { ForeignArgument(value: value) }

func named(_ name: String, _ value: ForeignValue) -> ForeignArgument {
    ForeignArgument(name: name, value: value)
}

func run(_ calls: [ForeignCall], log: @escaping @Sendable (String) -> Void = { _ in }) {
    let interpreter = ForeignInterpreter(
        directory: "/tmp", log: { _, line in log(line) }, isExpired: { false })
    guard case .succeeded = interpreter.run(ForeignProgram(calls: calls)) else {
        fail("the program failed")
    }
}

func fail(_ message: String) -> Never {
    print(message)
    exit(1)
}

/// The output of a function is flushed when the program ends.
func flush() -> Never {
    run([
        ForeignCall(
            library: "libc.so.6", function: "puts", arguments: [value(.string("printed by puts"))])
    ])
    // Ends the process without flushing anything.
    _exit(0)
}

/// The code of a program's callbacks is freed, and the next program reuses it.
func closures() {
    let addresses = Mutex<[String]>([])
    let callback = ForeignCallback(parameters: [], returns: .void)
    for _ in 0..<500 {
        run([fixture("echo_pointer", [value(.callback(callback))], returns: .pointer)]) { line in
            addresses.withLock { $0.append(line) }
        }
    }
    let (count, different) = addresses.withLock { ($0.count, Set($0).count) }
    if count != 500 || different >= 10 { fail("\(count) lines, \(different) addresses") }
}

/// A program with every kind of memory does not leak.
func leaks() {
    let heapInUse = counter()
    let small = ForeignType.structure([.i8, .i32])
    let floats = ForeignType.structure([.f32, .f32, .f32])
    let large = ForeignType.structure([small, .i64, .i64, .i64, floats])
    let callback = ForeignCallback(parameters: [.i32], returns: .i32, value: 1)
    let everyKind = [
        fixture("large_make", [value(.integer(.i64, 1))], returns: large, result: "l"),
        fixture("large_shift", [named("copy", .pointerTo(.reference("l")))]),
        fixture(
            "is_zeroed",
            [
                named("out", .outputBuffer(capacity: 100_000, save: nil)),
                value(.lengthOf("out", .u64)), value(.string("text")),
                value(.inputBytes(Array(repeating: 1, count: 10_000))),
                value(.inputFile("/etc/passwd")),
            ], returns: .i64, success: .nonZero),
        fixture("ask_on_thread", [value(.callback(callback))], returns: .i32),
    ]
    for _ in 0..<50 { run(everyKind) }

    var leaked: [UnsafeMutableRawPointer?] = []
    leaked.reserveCapacity(200)
    let beforeLeak = heapInUse()
    for _ in 0..<200 { leaked.append(malloc(100)) }
    if heapInUse() - beforeLeak < 200 * 100 { fail("the counter does not see a leak") }

    let before = heapInUse()
    for _ in 0..<200 { run(everyKind) }
    let grown = heapInUse() - before
    if grown >= 200 * 16 { fail("200 programs left \(grown) bytes") }
}

/// The fixture's function that counts the used bytes of the heap.
func counter() -> () -> Int {
    typealias Counter = @convention(c) () -> UInt64
    guard let handle = dlopen(library, RTLD_NOW), let address = dlsym(handle, "heap_in_use") else {
        fail("\(library) has no heap_in_use")
    }
    let counter = unsafeBitCast(address, to: Counter.self)
    return { Int(counter()) }
}

let library = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""
switch CommandLine.arguments.dropFirst().first {
case "flush": flush()
case "closures": closures()
case "leaks": leaks()
default:
    print("usage: bgrun-worker-probe flush | closures LIBRARY | leaks LIBRARY")
    exit(EX_USAGE)
}
