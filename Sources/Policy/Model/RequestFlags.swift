// SPDX-License-Identifier: Apache-2.0

/// The conditions that a request adds to those of its task, in one byte, as in stores and journals;
/// the highest bit is set if the request is refused unless it can start immediately.
package struct RequestFlags: Equatable, Sendable {
    package var requires: Conditions
    package var isOnlyImmediate: Bool

    private static let immediate: UInt8 = 1 << 7
}

extension RequestFlags {
    package init(byte: UInt8) {
        self.init(
            requires: Conditions(rawValue: byte & ~Self.immediate),
            isOnlyImmediate: byte & Self.immediate != 0)
    }

    package var byte: UInt8 {
        requires.rawValue & ~Self.immediate | (isOnlyImmediate ? Self.immediate : 0)
    }
}

extension TaskRequest {
    package var flags: RequestFlags {
        RequestFlags(requires: requires, isOnlyImmediate: isOnlyImmediate)
    }
}

extension Submission {
    package var flags: RequestFlags {
        RequestFlags(requires: requires, isOnlyImmediate: isOnlyImmediate)
    }
}
