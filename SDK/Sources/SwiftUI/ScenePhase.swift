// SPDX-License-Identifier: Apache-2.0

/// How near an app is to a person. A plugin begins `inactive` and enters the `background` once in a
/// process, as its first attempt begins; it is `active` in the testing kit only.
public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}
