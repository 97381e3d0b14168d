// SPDX-License-Identifier: Apache-2.0

/// The result of a push. `failed` ends the attempt unsuccessfully, the others successfully.
public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData = 0
    case noData = 1
    case failed = 2
}
