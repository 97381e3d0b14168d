// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Testing

@Suite("The success of a foreign call", .timeLimit(.minutes(10)))
struct SuccessTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var type: ForeignType
        var value: Int64
        var success: ForeignSuccess
        /// The error text after the function's name; nil: the call succeeded.
        var complaint: String?
        var testDescription: String { "\(type) \(value) \(success)" }

        init(_ type: ForeignType, _ value: Int64, _ success: ForeignSuccess, _ complaint: String?) {
            self.type = type
            self.value = value
            self.success = success
            self.complaint = complaint
        }
    }

    @Test(
        "is judged by the returned value",
        arguments: [
            Case(.i32, 0, .zero, nil),
            Case(.i32, -5, .zero, "returned -5, not 0"),
            Case(.u8, 1, .nonZero, nil),
            Case(.u8, 0, .nonZero, "returned 0"),
            Case(.i16, -7, .equals(-7), nil),
            Case(.i16, -8, .equals(-7), "returned -8, not -7"),
            Case(.i64, 1, .notEquals(2), nil),
            Case(.i64, 2, .notEquals(2), "returned 2"),
            Case(.i8, 3, .atLeast(3), nil),
            Case(.i8, 2, .atLeast(3), "returned 2, not at least 3"),
            Case(.i32, -1, .lessThan(0), nil),
            Case(.i32, 0, .lessThan(0), "returned 0, not less than 0"),
            Case(.u64, -1, .atLeast(1), nil),
            Case(.u64, -1, .equals(-1), nil),
            Case(.u64, -1, .lessThan(1), "returned 18446744073709551615, not less than 1"),
            Case(.f64, 3, .atLeast(3), nil),
            Case(.f32, 2, .equals(3), "returned 2.0, not 3"),
        ])
    func comparison(item: Case) throws {
        let value: ForeignValue =
            item.type == .f32 || item.type == .f64
            ? .real(item.type, Double(item.value)) : .integer(item.type, item.value)
        let outcome = try Bench().run(
            fixture(
                "echo_\(item.type)", [.value(value)], returns: item.type, success: item.success))
        if let complaint = item.complaint {
            #expect(outcome == .failed(message: "echo_\(item.type) \(complaint)"))
        } else {
            #expect(outcome == .succeeded(message: nil))
        }
    }

    @Test(
        "is not given by a comparison with NaN",
        arguments: [ForeignSuccess.zero, .equals(0), .atLeast(0), .lessThan(0)])
    func notANumber(success: ForeignSuccess) throws {
        let outcome = try Bench().run(fixture("not_a_number", returns: .f64, success: success))
        guard case .failed(let message) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(message.contains("returned nan") || message.contains("returned -nan"))
    }

    @Test(
        "is judged by errno for a type with an error value",
        arguments: [
            ("fail_with", ForeignType.i32, "-1"), ("fail_unsigned", .u32, "4294967295"),
            ("fail_null", .pointer, "NULL"),
        ])
    func errno(function: String, type: ForeignType, value: String) throws {
        let outcome = try Bench().run(
            fixture(function, [.value(.integer(.i32, 28))], returns: type, success: .errno))
        #expect(
            outcome
                == .failed(
                    message: "\(function) returned \(value): No space left on device (errno 28)"))
    }

    @Test("is not changed by an errno that a successful call leaves")
    func staleErrno() throws {
        let outcome = try Bench().run(
            fixture("leave_errno", [.value(.integer(.i32, 28))], returns: .i32, success: .errno))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("a failed call has its string parameters in its message, on one line")
    func explanation() throws {
        let outcome = try Bench().run(
            fixture(
                "refuse", [.named("reason", .pointerTo(.integer(.string, 0)))], returns: .i32,
                success: .zero),
            ForeignCall(
                library: "libc.so.6", function: "free", arguments: [.value(.reference("reason"))],
                always: true))
        #expect(
            outcome == .failed(message: #"refuse returned 7, not 0; reason: the disk is\nfull"#))
    }
}
