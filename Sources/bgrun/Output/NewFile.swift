// SPDX-License-Identifier: Apache-2.0

import Foundation

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
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            complain("\(path) cannot be written: \(error.localizedDescription)")
            throw Exit.ioError
        }
    }

    /// Makes the directory unless it is there.
    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            complain("\(path) cannot be made: \(error.localizedDescription)")
            throw Exit.ioError
        }
    }
}
