// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

extension Terminals {
    /// The kernel writes the time of input to a terminal's access time, to within eight seconds.
    init(_ files: SystemFiles) {
        let virtual = (files.names(in: "/dev") ?? []).filter {
            $0.hasPrefix("tty") && $0.count > 3 && $0.dropFirst(3).allSatisfy(\.isNumber)
        }
        let pseudo = (files.names(in: "/dev/pts") ?? []).filter { $0 != "ptmx" }
        let paths = virtual.map { "/dev/" + $0 } + pseudo.map { "/dev/pts/" + $0 }
        let inputs = paths.compactMap { path -> Int64? in
            var status = stat()
            guard stat(files.root + path, &status) == 0 else { return nil }
            return Int64(status.st_atim.tv_sec)
        }
        self.init(
            count: inputs.count, lastInput: inputs.max() ?? 0,
            hasDisplay: !(files.names(in: "/tmp/.X11-unix") ?? []).isEmpty)
    }
}
