// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

// The compiler's side of `#Preview` and `@Entry`. It implements the compiler's plugin protocol, a
// length of 8 bytes and JSON, so that the SDK does not have to build swift-syntax.

func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var size = 0
    while size < count {
        let more = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { read(STDIN_FILENO, $0 + size, count - size) } ?? 0
        }
        guard more > 0 else { return nil }
        size += more
    }
    return bytes
}

func reply(_ json: String) {
    let body = Array(json.utf8)
    var message = withUnsafeBytes(of: UInt64(body.count).littleEndian, Array.init) + body
    while !message.isEmpty {
        let written = write(STDOUT_FILENO, message, message.count)
        guard written > 0 else { return }
        message.removeFirst(written)
    }
}

while let size = receive(8) {
    let count = size.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard count > 0, count < 1 << 30, let body = receive(Int(count)) else { break }
    if String(decoding: body.prefix(40), as: UTF8.self).contains("getCapability") {
        reply(#"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#)
    } else {
        let source = (try? JSONEncoder().encode(expanded(body))) ?? Data(#""""#.utf8)
        let json = String(decoding: source, as: UTF8.self)
        reply(#"{"expandMacroResult":{"expandedSource":\#(json),"diagnostics":[]}}"#)
    }
}
