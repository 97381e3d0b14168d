// SPDX-License-Identifier: Apache-2.0

import Glibc

enum DescriptorShortage {
    /// More than libcurl opens at once: a socket, a pair to the thread that resolves names, and files of certificates.
    private static let margin = 8

    /// Whether this process or the machine has fewer descriptors left. Those of a try that has just failed
    /// are free again.
    static var isNear: Bool {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        for _ in 0..<margin {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [EMFILE, ENFILE, ENOMEM].contains(errno) }
            opened.append(descriptor)
        }
        return false
    }
}
