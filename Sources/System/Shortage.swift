// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether a system call failed with `code` for lack of descriptors or memory: it may succeed later.
package func isShortage(_ code: Int32) -> Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

/// What a user does when a process may open no more files.
package let descriptorRemedy = "raise the limit of open files (ulimit -n, LimitNOFILE)"
