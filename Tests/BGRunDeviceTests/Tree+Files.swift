// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine

@testable import BGRunDevice

extension Tree {
    /// What `read` finds in the files.
    func read<Value>(_ read: (SystemFiles) -> Value) -> Value {
        withExtendedLifetime(self) { read(SystemFiles(root: root)) }
    }
}
