// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine

@testable import BGRunDevice

extension Tree {
    /// The result of `read` for the files.
    func read<Value>(_ read: (SystemFiles) -> Value) -> Value {
        withExtendedLifetime(self) { read(SystemFiles(root: root)) }
    }
}
