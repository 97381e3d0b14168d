// SPDX-License-Identifier: Apache-2.0

/// A task made of calls to C functions of shared libraries, one after the other.
///
/// The manifest declares it, the host sends it to a worker, the worker makes the calls through
/// libffi. Values are named so that a later call can use what an earlier one produced.
public struct ForeignProgram: Hashable, Sendable {
    public var calls: [ForeignCall]

    public init(calls: [ForeignCall]) {
        self.calls = calls
    }
}

/// One call.
public struct ForeignCall: Hashable, Sendable {
    /// A name for the dynamic linker (`libz.so.1`) or an absolute path.
    public var library: String
    public var function: String
    public var arguments: [ForeignArgument]
    public var returns: ForeignType
    /// The name under which later calls refer to the returned value.
    public var result: String?
    /// When the call counts as successful; nil: always.
    public var success: ForeignSuccess?
    /// Whether the call is made even after an earlier one has failed: for closing what was opened.
    public var always: Bool
    /// For variadic functions: how many arguments are fixed; nil when the function is not variadic.
    public var fixedArguments: Int?

    public init(
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
public indirect enum ForeignType: Hashable, Sendable {
    case void
    case i8, u8, i16, u16, i32, u32, i64, u64
    case f32, f64
    /// An address without a known pointee.
    case pointer
    /// `const char *`, NUL-terminated UTF-8.
    case string
    /// A struct passed or returned by value, by its fields in order.
    case structure([ForeignType])
    /// `char **`, as a parameter of a callback only: so many strings as the callback's parameter
    /// number `count` (from 0) says; nil: up to the first NULL.
    case strings(count: Int?)
}

public struct ForeignArgument: Hashable, Sendable {
    /// The name under which other arguments and later calls refer to this one.
    public var name: String?
    public var value: ForeignValue

    public init(name: String? = nil, value: ForeignValue) {
        self.name = name
        self.value = value
    }
}

/// What is passed.
public indirect enum ForeignValue: Hashable, Sendable {
    /// An integer of one of the integer types; unsigned 64-bit values keep their bit pattern. Also
    /// an address as `.pointer`, and 0 as `.string`: a string that is still NULL.
    case integer(ForeignType, Int64)
    case real(ForeignType, Double)
    case string(String)
    case null
    /// A buffer the function reads, with these bytes.
    case inputBytes([UInt8])
    /// A buffer the function reads, with the contents of this file (absolute path).
    case inputFile(String)
    /// A zeroed buffer the function writes, `capacity` bytes.
    case outputBuffer(capacity: UInt64, save: ForeignSave?)
    /// A pointer to memory that holds this value and that the function may change; refer to it by
    /// name to use the new value.
    case pointerTo(ForeignValue)
    case structure([ForeignValue])
    /// The value of an earlier argument or result: for `pointerTo` the pointee, for a buffer its
    /// address.
    case reference(String)
    /// A field of an earlier struct, by the position (from 0) at each level of nesting.
    case field(String, [Int])
    /// The length in bytes of a named buffer or string, as an integer of this type. The buffer may
    /// stand later in the same call.
    case lengthOf(String, ForeignType)
    case callback(ForeignCallback)

    /// A pointer to a scalar of this type; to a zeroed struct when `type` is one.
    public static func pointerTo(_ type: ForeignType, initial: Int64) -> ForeignValue {
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

/// Where the bytes of an output buffer go after a successful program.
public struct ForeignSave: Hashable, Sendable {
    /// An absolute path; written whole or not at all.
    public var path: String
    /// The named value that says how many bytes are valid; nil: up to the capacity.
    public var length: String?

    public init(path: String, length: String? = nil) {
        self.path = path
        self.length = length
    }
}

/// A function pointer made by a libffi closure.
public struct ForeignCallback: Hashable, Sendable {
    public var parameters: [ForeignType]
    public var returns: ForeignType
    /// What the callback returns while the attempt has time.
    public var value: Int64
    /// What it returns once the attempt is expired; nil: `value`. Lets a library's own progress
    /// callback stop the work in good order.
    public var valueWhenExpired: Int64?
    /// Whether each call is written to the task's log with its arguments.
    public var log: Bool

    public init(
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
public enum ForeignSuccess: Hashable, Sendable {
    case zero
    case nonZero
    case equals(Int64)
    case notEquals(Int64)
    case atLeast(Int64)
    case lessThan(Int64)
    /// The call must not return -1 (or NULL, for pointers); the message is errno's.
    case errno
}
