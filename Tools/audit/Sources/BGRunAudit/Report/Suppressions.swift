// SPDX-License-Identifier: Apache-2.0

extension Audit {
    static func suppressing(_ findings: [Finding], in files: [SourceFile]) -> [Finding] { findings }
}
