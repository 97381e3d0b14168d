// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("The order of foreign calls", .timeLimit(.minutes(10)))
struct OrderTests {
    /// A call that writes its word to the file `calls`.
    private func note(_ word: String, in bench: Bench, always: Bool = false) -> ForeignCall {
        fixture(
            "note", [.value(.string(bench.path("calls"))), .value(.string(word))], returns: .i32,
            success: .zero, always: always)
    }

    private func failing(always: Bool = false, with error: Int64 = 5) -> ForeignCall {
        fixture(
            "fail_with", [.value(.integer(.i32, error))], returns: .i32, success: .errno,
            always: always)
    }

    private func made(_ bench: Bench) -> String {
        bench.contents("calls").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test("after a failure only calls marked `always` are made, and the first failure is reported")
    func always() throws {
        let bench = try Bench()
        let outcome = bench.run(
            note("a", in: bench), failing(), note("b", in: bench),
            failing(always: true, with: 2), note("c", in: bench, always: true))
        #expect(
            outcome == .failed(message: "fail_with returned -1: Input/output error (errno 5)"))
        #expect(made(bench) == "ac")
        #expect(
            bench.log.contains(
                "warning: fail_with returned -1: No such file or directory (errno 2)"))
    }

    @Test("a call marked `always` that fails alone fails the program")
    func alwaysFails() throws {
        let bench = try Bench()
        #expect(
            bench.run(failing(always: true), note("b", in: bench))
                == .failed(message: "fail_with returned -1: Input/output error (errno 5)"))
        #expect(made(bench) == "")
    }

    @Test("the cleanup of something that was never created is omitted")
    func nothingToClean() throws {
        let bench = try Bench()
        let outcome = bench.run(
            failing(),
            fixture("echo_i64", [.value(.integer(.i64, 1))], returns: .i64, result: "handle"),
            fixture("widen_i64", [.value(.reference("handle"))], returns: .i64, always: true),
            note("z", in: bench, always: true))
        #expect(
            outcome == .failed(message: "fail_with returned -1: Input/output error (errno 5)"))
        #expect(bench.log.contains("debug: widen_i64 has nothing to clean up"))
        #expect(made(bench) == "z")
    }

    @Test("after the expiration only calls marked `always` are made")
    func expired() throws {
        let checks = Mutex(0)
        let bench = try Bench(isExpired: {
            checks.withLock { count in
                count += 1
                return count > 1
            }
        })
        let outcome = bench.run(
            note("a", in: bench), note("b", in: bench), note("c", in: bench, always: true))
        #expect(outcome == .failed(message: "the attempt expired before note"))
        #expect(made(bench) == "ac")
    }

    @Test("an argument that cannot be created fails its call before it is made")
    func missingInput() throws {
        let bench = try Bench()
        let outcome = bench.run(
            note("a", in: bench),
            fixture(
                "is_zeroed",
                [
                    .named("handle", .pointerTo(.i64, initial: 0)),
                    .named("in", .inputBytes([1])), .value(.inputFile("absent")),
                ], returns: .i64),
            fixture("widen_i64", [.value(.reference("handle"))], returns: .i64, always: true),
            fixture("byte_at", [.value(.reference("in"))], returns: .i64, always: true),
            note("c", in: bench, always: true))
        #expect(
            outcome
                == .failed(
                    message: "is_zeroed was not called: absent cannot be opened: "
                        + "No such file or directory (errno 2)"))
        #expect(made(bench) == "ac")
        #expect(
            bench.log.suffix(3) == [
                "debug: widen_i64 has nothing to clean up",
                "debug: byte_at has nothing to clean up", "debug: note returned 0",
            ])
    }
}

@Suite("Refusals before the first foreign call", .timeLimit(.minutes(10)))
struct RefusalTests {
    private let note = fixture(
        "note", [.value(.string("calls")), .value(.string("x"))], returns: .i32)

    /// Runs `call` after a call that would write a file, and returns the reason for the refusal.
    private func refusal(of call: ForeignCall) throws -> String? {
        let bench = try Bench()
        var note = note
        note.arguments[0] = .value(.string(bench.path("calls")))
        let outcome = bench.run(note, call)
        #expect(bench.files == [], "a call was made")
        guard case .refused(let message) = outcome else { return nil }
        return message
    }

    @Test("a missing library is refused with the linker's reason and advice")
    func missingLibrary() throws {
        let message = try refusal(
            of: ForeignCall(library: "libbgrun-absent.so.9", function: "f"))
        #expect(
            message
                == "library 'libbgrun-absent.so.9' cannot be loaded: libbgrun-absent.so.9: cannot "
                + "open shared object file: No such file or directory. Install the package that "
                + "has it, or give the path of its file")
    }

    @Test("a file that is not a library is refused")
    func badLibrary() throws {
        let bench = try Bench()
        try bench.write(Data("not a library".utf8), to: "text.so")
        guard
            case .refused(let message) = bench.run(
                ForeignCall(library: "./text.so", function: "f"))
        else { return #expect(Bool(false)) }
        #expect(message.contains("library './text.so' cannot be loaded"))
        #expect(message.contains(bench.path("text.so").replacing("/text.so", with: "/./text.so")))
    }

    @Test("a library file that the worker does not trust is refused")
    func objection() throws {
        let interpreter = ForeignInterpreter(
            directory: "/app", log: { _, _ in }, isExpired: { false },
            objection: { $0 == "/app/lib/own.so" ? .init("anyone can write it") : nil })
        let outcome = interpreter.run(
            ForeignProgram(calls: [ForeignCall(library: "lib/own.so", function: "f")]))
        #expect(
            outcome
                == .refused(
                    message: "library 'lib/own.so' may not be loaded: anyone can write it"))
    }

    @Test("a library that cannot be examined for lack of a descriptor is examined again")
    func shortage() {
        let examined = Mutex(0)
        let waits = Mutex<[Int32]>([])
        let interpreter = ForeignInterpreter(
            directory: "/app", log: { _, _ in }, isExpired: { false },
            objection: { _ in
                examined.withLock { count in
                    count += 1
                    return count < 3
                        ? .init("too many open files", shortage: EMFILE) : .init("writable")
                }
            },
            wait: { error in waits.withLock { $0.append(error) } })
        let outcome = interpreter.run(
            ForeignProgram(calls: [ForeignCall(library: "lib/own.so", function: "f")]))
        #expect(
            outcome == .refused(message: "library 'lib/own.so' may not be loaded: writable"))
        #expect(examined.withLock { $0 } == 3 && waits.withLock { $0 } == [EMFILE])
    }

    @Test("a missing function is refused")
    func missingFunction() throws {
        let message = try refusal(of: ForeignCall(library: "libz.so.1", function: "compress9"))
        #expect(message?.hasPrefix("library 'libz.so.1' has no function 'compress9': ") == true)
        #expect(message?.contains("undefined symbol: compress9") == true)
        #expect(message?.hasSuffix("the library's header") == true)
    }

    @Test("a variable in place of a function is refused")
    func variable() throws {
        let message = try refusal(of: fixture("fixture_variable"))
        #expect(message?.hasSuffix("is data, not a function") == true)
    }

    @Test("a wrong signature is refused with every problem")
    func problems() throws {
        let message = try refusal(
            of: fixture("echo_i8", [.value(.integer(.i8, 200)), .value(.reference("ghost"))]))
        #expect(
            message == """
                call 2, echo_i8, argument 1: 200 does not fit i8
                call 2, echo_i8, argument 2: nothing named 'ghost' comes before it
                """)
    }
}
