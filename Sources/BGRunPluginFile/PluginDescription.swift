// SPDX-License-Identifier: Apache-2.0

/// What a plugin file says about itself.
public struct PluginDescription: Hashable, Sendable {
    /// For people, for example "64-bit".
    public let elfClass: String
    /// For people, for example "x86-64".
    public let machine: String
    /// DT_SONAME.
    public let soname: String?
    /// DT_NEEDED, in order: the libraries that are loaded with it.
    public let needed: [String]
    /// The functions and objects other libraries can see.
    public let exportedSymbolCount: Int
    /// Whether `bgrun_plugin_entry` is an exported function.
    public let exportsEntry: Bool
    /// In bytes.
    public let size: UInt64
    /// The permission bits.
    public let mode: UInt32
    /// The user id of the owner.
    public let owner: UInt32
}
