// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI

/// A C type with libffi's description and layout.
final class CType {
    let type: ForeignType
    /// Valid as long as this object; libffi's own memory except for structs.
    let description: UnsafeMutablePointer<ffi_type>
    /// For structs.
    let fields: [CType]
    /// The offset of each field in bytes.
    let offsets: [Int]

    private init(scalar type: ForeignType) {
        self.type = type
        fields = []
        offsets = []
        description =
            switch type {
            case .void: bgrun_ffi_void()
            case .i8: bgrun_ffi_i8()
            case .u8: bgrun_ffi_u8()
            case .i16: bgrun_ffi_i16()
            case .u16: bgrun_ffi_u16()
            case .i32: bgrun_ffi_i32()
            case .u32: bgrun_ffi_u32()
            case .i64: bgrun_ffi_i64()
            case .u64: bgrun_ffi_u64()
            case .f32: bgrun_ffi_f32()
            case .f64: bgrun_ffi_f64()
            case .pointer, .string, .strings, .structure: bgrun_ffi_pointer()
            }
    }

    private init(fields: [CType]) throws(ForeignFailure) {
        let elements = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
            .allocate(capacity: fields.count + 1)
        for (index, field) in fields.enumerated() {
            (elements + index).initialize(to: field.description)
        }
        (elements + fields.count).initialize(to: nil)
        let description = UnsafeMutablePointer<ffi_type>.allocate(capacity: 1)
        description.initialize(
            to: ffi_type(size: 0, alignment: 0, type: UInt16(FFI_TYPE_STRUCT), elements: elements))
        var offsets = [Int](repeating: 0, count: fields.count)
        let status = ffi_get_struct_offsets(FFI_DEFAULT_ABI, description, &offsets)
        type = .structure(fields.map(\.type))
        self.fields = fields
        self.description = description
        self.offsets = offsets
        guard status == FFI_OK else {
            throw ForeignFailure("libffi cannot lay out the struct \(type)")
        }
    }

    deinit {
        guard case .structure = type else { return }
        description.pointee.elements.deallocate()
        description.deallocate()
    }

    static func make(_ type: ForeignType) throws(ForeignFailure) -> CType {
        guard case .structure(let types) = type else { return CType(scalar: type) }
        var fields: [CType] = []
        for type in types { fields.append(try make(type)) }
        return try CType(fields: fields)
    }

    /// In bytes.
    var size: Int { Int(description.pointee.size) }

    /// The field at `path`, and its offset in a struct of this type.
    func field(at path: [Int]) -> (type: CType, offset: Int) {
        path.reduce((self, 0)) { found, position in
            (found.0.fields[position], found.1 + found.0.offsets[position])
        }
    }
}
