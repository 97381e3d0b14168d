// SPDX-License-Identifier: Apache-2.0

/// The keys of one `confine:` of a manifest; nil and empty ones are missing. Paths are absolute.
package struct ConfinementKeys: Hashable, Sendable {
    package var profile: Confinement.Profile?
    package var enforcement: Confinement.Enforcement?
    package var read: [String] = []
    package var write: [String] = []
    package var hide: [String] = []
    package var sockets: [String] = []
    package var devices: [String] = []
    package var network: Confinement.Network?
    package var tasks: Int?
    package var files: Int?
    package var memory: Int64?
    package var fileSize: Int64?
    package var temporary: Int64?
    package var processorTime: Interval?
    package var nice: Int?
    package var reuse: Confinement.Reuse?
    /// The names of variables of the host's environment that are kept.
    package var keptVariables: [String] = []

    package init() {}

    /// The keys of this mapping with those of one inside it: lists add up, of single values the inner one applies.
    package func with(_ inner: ConfinementKeys) -> ConfinementKeys {
        var keys = self
        keys.profile = inner.profile ?? profile
        keys.enforcement = inner.enforcement ?? enforcement
        keys.read = (read + inner.read).removingDuplicates()
        keys.write = (write + inner.write).removingDuplicates()
        keys.hide = (hide + inner.hide).removingDuplicates()
        keys.sockets = (sockets + inner.sockets).removingDuplicates()
        keys.devices = (devices + inner.devices).removingDuplicates()
        keys.network = inner.network ?? network
        keys.tasks = inner.tasks ?? tasks
        keys.files = inner.files ?? files
        keys.memory = inner.memory ?? memory
        keys.fileSize = inner.fileSize ?? fileSize
        keys.temporary = inner.temporary ?? temporary
        keys.processorTime = inner.processorTime ?? processorTime
        keys.nice = inner.nice ?? nice
        keys.reuse = inner.reuse ?? reuse
        keys.keptVariables = (keptVariables + inner.keptVariables).removingDuplicates()
        return keys
    }
}
