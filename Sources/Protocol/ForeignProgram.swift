// SPDX-License-Identifier: Apache-2.0

/// A task that consists of calls to C functions of shared libraries, one after the other.
///
/// The manifest declares it, the host sends it to a worker, and the worker makes the calls through
/// libffi. Values have names so that a later call can use the results of an earlier one.
package struct ForeignProgram: Equatable, Sendable {
    package var calls: [ForeignCall]

    package init(calls: [ForeignCall]) { self.calls = calls }
}

/// One call.
package struct ForeignCall: Equatable, Sendable {
    /// A name for the dynamic linker (`libz.so.1`), or a path, which contains a slash. A relative
    /// path is resolved from the manifest's directory.
    package var library: String
    package var function: String
    package var arguments: [ForeignArgument]
    package var returns: ForeignType
    /// The name under which later calls refer to the returned value.
    package var result: String?
    /// When the call counts as successful; nil: always.
    package var success: ForeignSuccess?
    /// Whether the call is made even after an earlier one has failed: for closing opened resources.
    package var always: Bool
    /// For variadic functions: the number of fixed arguments; nil if the function is not variadic.
    package var fixedArguments: Int?

    package init(
        library: String, function: String, arguments: [ForeignArgument] = [],
        returns: ForeignType = .void, result: String? = nil, success: ForeignSuccess? = nil,
        always: Bool = false, fixedArguments: Int? = nil
    ) {
        self.library = library
        self.function = function
        self.arguments = arguments
        self.returns = returns
        self.result = result
        self.success = success
        self.always = always
        self.fixedArguments = fixedArguments
    }
}

/// A C type.
package indirect enum ForeignType: Equatable, Sendable {
    case void
    case i8, u8, i16, u16, i32, u32, i64, u64
    case f32, f64
    /// An address without a known pointee.
    case pointer
    /// `const char *`, NUL-terminated UTF-8.
    case string
    /// A struct passed or returned by value, by its fields in order.
    case structure([ForeignType])
    /// `char **`, only as a parameter of a callback: the callback's parameter with the index
    /// `count` (from 0) is the number of strings; nil: up to the first NULL.
    case strings(count: Int?)
}

package struct ForeignArgument: Equatable, Sendable {
    /// The name with which other arguments and later calls refer to this one.
    package var name: String?
    package var value: ForeignValue

    package init(name: String? = nil, value: ForeignValue) {
        self.name = name
        self.value = value
    }
}

/// The value of an argument.
package indirect enum ForeignValue: Equatable, Sendable {
    /// An integer of one of the integer types; unsigned 64-bit values keep their bit pattern. Also
    /// an address as `.pointer`, and 0 as `.string`: a string that is still NULL.
    case integer(ForeignType, Int64)
    case real(ForeignType, Double)
    case string(String)
    case null
    /// A buffer the function reads, with these bytes.
    case inputBytes([UInt8])
    /// A buffer the function reads, with the contents of this file. A relative path is resolved
    /// from the manifest's directory.
    case inputFile(String)
    /// A zeroed buffer the function writes, `capacity` bytes.
    case outputBuffer(capacity: UInt64, save: ForeignSave?)
    /// A pointer to memory with this value, which the function may change; refer to it by name to
    /// use the new value.
    case pointerTo(ForeignValue)
    case structure([ForeignValue])
    /// The value of an earlier argument or result: for `pointerTo` the pointee, for a buffer its
    /// address.
    case reference(String)
    /// The address of the memory with an earlier argument or result, valid until the program ends:
    /// for `pointerTo` the pointer that was passed, so that several calls share one struct.
    case addressOf(String)
    /// A field of an earlier struct, by its index (from 0) at each level of nesting.
    case field(String, [Int])
    /// The length in bytes of a named buffer or string, as an integer of this type. The buffer may
    /// be a later argument of the same call.
    case lengthOf(String, ForeignType)
    case callback(ForeignCallback)

    /// A pointer to a scalar of this type; to a zeroed struct when `type` is one.
    package static func pointerTo(_ type: ForeignType, initial: Int64) -> ForeignValue {
        .pointerTo(scalar(type, initial))
    }

    private static func scalar(_ type: ForeignType, _ value: Int64) -> ForeignValue {
        switch type {
        case .f32, .f64: .real(type, Double(value))
        case .structure(let fields): .structure(fields.map { scalar($0, 0) })
        default: .integer(type, value)
        }
    }
}

/// The destination of an output buffer after a successful program.
package struct ForeignSave: Equatable, Sendable {
    /// Written completely or not at all. A relative path is resolved from the manifest's directory.
    package var path: String
    /// The named value with the number of valid bytes; nil: the capacity.
    package var length: String?

    package init(path: String, length: String? = nil) {
        self.path = path
        self.length = length
    }
}

/// A function pointer made by a libffi closure.
package struct ForeignCallback: Equatable, Sendable {
    package var parameters: [ForeignType]
    package var returns: ForeignType
    /// The result of the callback while the attempt has time.
    package var value: Int64
    /// The result once the attempt is expired; nil: `value`. Lets a library's own progress callback
    /// stop the work in an orderly way.
    package var valueWhenExpired: Int64?
    /// Whether each call is written to the task's log with its arguments.
    package var log: Bool

    package init(
        parameters: [ForeignType], returns: ForeignType, value: Int64 = 0,
        valueWhenExpired: Int64? = nil, log: Bool = false
    ) {
        self.parameters = parameters
        self.returns = returns
        self.value = value
        self.valueWhenExpired = valueWhenExpired
        self.log = log
    }
}

/// When a returned value means success.
package enum ForeignSuccess: Equatable, Sendable {
    case zero
    case nonZero
    case equals(Int64)
    case notEquals(Int64)
    case atLeast(Int64)
    case lessThan(Int64)
    /// The call must not return -1 (or NULL, for pointers); the message is errno's. A
    /// floating-point result has no such value: then errno, 0 before the call, must still be 0.
    case errno
}
