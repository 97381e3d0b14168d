// SPDX-License-Identifier: Apache-2.0

/// What a plugin file says about itself.
package struct PluginDescription: Hashable, Sendable {
    /// For people, for example "64-bit".
    package let elfClass: String
    /// For people, for example "x86-64".
    package let machine: String
    /// DT_SONAME.
    package let soname: String?
    /// DT_NEEDED, in order: the libraries that are loaded with it.
    package let needed: [String]
    /// The functions and objects other libraries can see.
    package let exportedSymbolCount: Int
    /// Whether `bgrun_plugin_entry` is an exported function.
    package let exportsEntry: Bool
    /// In bytes.
    package let size: UInt64
    /// The permission bits.
    package let mode: UInt32
    /// The user id of the owner.
    package let owner: UInt32
}
