// SPDX-License-Identifier: Apache-2.0

extension ForeignType {
    /// Whether it is one of the eight integer types.
    package var isInteger: Bool {
        switch self {
        case .i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64: true
        default: false
        }
    }

    /// The range of an integer or address of this type, 64-bit ones by their bit pattern; a string
    /// can only be 0, NULL. Nil for other types.
    package var range: ClosedRange<Int64>? {
        switch self {
        case .i8: -0x80...0x7f
        case .u8: 0...0xff
        case .i16: -0x8000...0x7fff
        case .u16: 0...0xffff
        case .i32: -0x8000_0000...0x7fff_ffff
        case .u32: 0...0xffff_ffff
        case .i64, .u64, .pointer: Int64.min...Int64.max
        case .string: 0...0
        case .void, .f32, .f64, .structure, .strings: nil
        }
    }

    /// Throws if a C value of this type cannot be passed or returned.
    func checkPassable() throws(ForeignFailure) {
        var budget = ForeignLimits.parts
        guard spendParts(of: &budget) else {
            throw .init("a struct has more than \(ForeignLimits.parts) parts")
        }
        try checkParts()
    }

    private func checkParts() throws(ForeignFailure) {
        switch self {
        case .void: throw .init("void has no value")
        case .strings: throw .init("strings can only be a parameter of a callback")
        case .structure(let fields):
            guard !fields.isEmpty else { throw .init("a struct without fields has no size in C") }
            for field in fields { try field.checkParts() }
        default: break
        }
    }

    /// Subtracts one for each struct and field from `budget`; stops and returns false when it is
    /// used up.
    private func spendParts(of budget: inout Int) -> Bool {
        budget -= 1
        guard budget >= 0, case .structure(let fields) = self else { return budget >= 0 }
        return fields.allSatisfy { $0.spendParts(of: &budget) }
    }

    /// The type after C's promotions in the variable part of a call, if it changes.
    var promoted: ForeignType? {
        switch self {
        case .i8, .u8, .i16, .u16: .i32
        case .f32: .f64
        default: nil
        }
    }
}

extension ForeignType: CustomStringConvertible {
    /// As in the manifest; structs as `{i32, f64}`.
    package var description: String {
        switch self {
        case .structure(let fields): "{\(fields.map(\.description).joined(separator: ", "))}"
        case .strings: "strings"
        default: Self.plain.first { $0.type == self }?.name ?? ""
        }
    }

    /// The types without parts, with the manifest's words. The index of each is its tag in
    /// messages: only append elements.
    static let plain: [(type: ForeignType, name: String)] = [
        (.void, "void"), (.i8, "i8"), (.u8, "u8"), (.i16, "i16"), (.u16, "u16"), (.i32, "i32"),
        (.u32, "u32"), (.i64, "i64"), (.u64, "u64"), (.f32, "f32"), (.f64, "f64"),
        (.pointer, "pointer"), (.string, "string"),
    ]
}
