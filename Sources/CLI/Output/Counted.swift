// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// "1 task" or "2 tasks"; `plural` where that is not `noun` with an s.
    func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}
