// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small files for a trial, removed with it.
final class TrialFiles {
    /// The size of each, in bytes.
    static let size: Int64 = 5
    private var paths: [String] = []

    /// The path of a new file; nil if the file system is full.
    func make() -> String? {
        var template = Array("/tmp/bgrun-trial-XXXXXX".utf8CString)
        let descriptor = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkstemp($0) } ?? -1
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard write(descriptor, "trial", Int(Self.size)) == Int(Self.size) else { return nil }
        let path = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        paths.append(path)
        return path
    }

    /// Removes the remaining files.
    func remove() {
        for path in paths { unlink(path) }
        paths = []
    }
}
