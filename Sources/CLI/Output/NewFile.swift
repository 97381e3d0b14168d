// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Files that commands write for a person: one that exists is never overwritten.
enum NewFile {
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            complain(
                errno == EEXIST
                    ? "\(path) exists, and is not overwritten; give another name"
                    : "\(path) cannot be written: \(String(cString: strerror(errno)))")
            throw Exit.ioError
        }
        defer { close(descriptor) }
        guard writeAll(text.utf8, to: descriptor) else {
            complain("\(path) cannot be written: \(String(cString: strerror(errno)))")
            throw Exit.ioError
        }
    }

    /// Makes the directory unless it is there.
    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            complain("\(path) cannot be made: \(error.fileReason)")
            throw Exit.ioError
        }
    }
}

/// Writes every byte; false, with the reason in `errno`, if that fails.
func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

extension Error {
    /// Why a file could not be written, as the system says it.
    var fileReason: String {
        guard let error = self as? CocoaError else { return "\(self)" }
        guard let cause = error.underlying as? POSIXError else {
            return "error \(error.code.rawValue)"
        }
        return String(cString: strerror(cause.code.rawValue))
    }
}
